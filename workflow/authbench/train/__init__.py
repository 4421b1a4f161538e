"""Does training on a benchmark make a model better at authorship? (AuthBench paper, section 5.5)

`pairs` are what is learnt from, `tune` trains one model for one seed and measures it on the way, `run` does so for
several seeds and leaves curves and models that evaluate like any other.
"""
