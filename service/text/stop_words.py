"""Words that say nothing about what a text is about: about the hundred commonest of English."""

COMMON = """about after again all also am an and any are as at back be because been before being but by can could did
do does don for from get go got had has have he her here him his how if in into is it its just like ll made make may me
more most much my need no not now of off on one only or other our out over own per re said same say she should since so
some still such than that the their them then there these they this those through to too two under until up us ve very
was way we were what when where which while who why will with would yet you your"""
STOP_WORDS = frozenset(COMMON.split())
