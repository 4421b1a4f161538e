"""Reproduce the protocol of STEB's public code (github.com/rrivera1849/STEB).

Numbers on STEB's board are defined by its code: which records are taken (`steps`), how tasks score vectors (`tasks`,
`order`, `probing`), how scores are aggregated (`board`) and where they are stored (`layout`). This package
reimplements that behaviour and is tested against values computed by STEB's code.
"""
