"""Training of a model on a benchmark (AuthBench paper, section 5.5).

`pairs` draws what is learnt from, `tune` trains one model for one seed and scores it on the way, `run` does so for
models and seeds and writes curves and models that evaluate like any other, `unfinished` holds what a stopped training
goes on from, `planned` names the trainings of a build.
"""
