"""How hypothesis runs against a mutant: any failure will do, so no time is spent on making it small."""

from hypothesis import Phase, settings

settings.register_profile("mutants", database=None, derandomize=True, phases=[Phase.explicit, Phase.generate])
