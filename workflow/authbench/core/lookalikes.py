"""List letters of other scripts that look like Latin letters, in lower case, each with the Latin letter.

If only the capital form resembles a Latin letter, the small form gets that letter, as `н` and `Н`: case is ignored.
"""

LOOKALIKES = dict(
    zip(
        "авеѕіјкмнорстухһԁԛԝӏαβεζηικμνορτυχօհıɑɡ",
        "abesijkmhopctyxhdqwlabezhikmvoptyxohiag",
        strict=True,
    )
)
