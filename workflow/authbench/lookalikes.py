"""Letters of other scripts that look like Latin ones, in lower case, each with the Latin letter.

A letter whose small form has no likeness takes that of its large form, `н` that of `Н`: case does not count.
"""

LOOKALIKES = dict(
    zip(
        "авеѕіјкмнорстухһԁԛԝӏαβεζηικμνορτυχօհıɑɡ",
        "abesijkmhopctyxhdqwlabezhikmvoptyxohiag",
        strict=True,
    )
)
