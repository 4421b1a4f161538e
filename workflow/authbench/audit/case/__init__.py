"""Weigh a case: how much likelier a questioned text is if its writer wrote the known texts than if another did.

`material` reads and checks the texts, `population` draws pairs that resemble the case, `ratios` calibrates verifiers on
half of the population's authors and validates them on the other half, `page` writes the report.
"""
