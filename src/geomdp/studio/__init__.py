"""The studio: plan, check, sign, release and read in a browser, on one's own machine.

A page is served to this machine alone, from files under one folder; see :mod:`geomdp.studio.guard`
for who may ask, :mod:`geomdp.studio.folder` for what is there. Whatever a screen does, it does by
the road of the command, and says which command that is.
"""
