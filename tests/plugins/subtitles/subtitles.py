def read(stream, options):  # the open file, in bytes; the entry's reader.options
    for block in stream.read().decode(options.get("encoding", "utf-8")).split("\n\n"):
        number, _, rest = block.strip().partition("\n")
        time, _, text = rest.partition("\n")
        yield {"number": number, "time": time, "text": text} if text else f"no text after {number!r}"
