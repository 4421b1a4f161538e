"""Name the suite's protocols: ours, and the protocol of STEB's public code (`authbench.style.steb`)."""

STRICT, STEB = "strict", "steb"
PROTOCOLS = (STRICT, STEB)
