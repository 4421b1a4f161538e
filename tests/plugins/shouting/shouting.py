from authbench.config.plugins import TextFilter


def measure(texts, languages):
    counts = [(sum(map(str.isupper, text)), sum(map(str.islower, text))) for text in texts]
    return [upper / (upper + lower) if upper + lower else None for upper, lower in counts]


SHOUTING = TextFilter(measure, "above", "shouting", "The share of capitals among the letters that have a case.")
