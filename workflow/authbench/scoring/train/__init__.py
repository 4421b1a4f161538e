"""Train a model on a benchmark (AuthBench paper, section 5.5).

`pairs` draws the examples, `tune` trains a model for a seed and scores it during training. `run` does so for models
and seeds and writes curves and models that can be evaluated like any other. `unfinished` keeps the state from which a
stopped training resumes, `planned` names the trainings of a build.
"""
