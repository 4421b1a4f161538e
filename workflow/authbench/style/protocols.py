"""The protocols of the suite: its own, and that of STEB's public code (`authbench.style.steb`)."""

STRICT, STEB = "strict", "steb"
PROTOCOLS = (STRICT, STEB)
