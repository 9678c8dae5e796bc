"""The verbs of memtrigctl, one module each; every module has a ``VERB``. ``memtrig.ctl.catalogue`` lists them."""
