"""The fastest safe loader of YAML that there is."""

import yaml

# Every job reads some YAML anew; libyaml, where PyYAML was built with it, takes a tenth of the time.
FAST_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
