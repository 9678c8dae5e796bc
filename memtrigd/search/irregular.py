"""English words whose forms no rule takes off: Snowball leaves went and go two words."""

from typing import Final

_FORMS: Final = """
arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became; begin began begun; bend bent;
bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built;
burn burnt; buy bought; catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug;
draw drew drawn; dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed;
feel felt; fight fought; find found; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten;
forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grind ground; grow grew
grown; hang hung; hear heard; hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead led;
lean leant; leap leapt; learn learnt; leave left; lend lent; light lit; lose lost; make made; mean meant; meet met;
mistake mistook mistaken; overcome overcame; pay paid; prove proven; ride rode ridden; ring rang rung; rise rose risen;
run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn; shake shook shaken; shine shone; shoot
shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; smell smelt;
speak spoke spoken; speed sped; spell spelt; spend spent; spin spun; spoil spoilt; spring sprang sprung; stand stood;
steal stole stolen; stick stuck; sting stung; strike struck stricken; strive strove striven; swear swore sworn; sweep
swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think
thought; throw threw thrown; understand understood; undertake undertook undertaken; wake woke woken; wear wore worn;
weave wove woven; weep wept; win won; wind wound; withdraw withdrew withdrawn; write wrote written;
child children; man men; woman women; person people; foot feet; tooth teeth; goose geese; mouse mice; life lives;
wife wives; knife knives; leaf leaves; half halves; shelf shelves; wolf wolves; thief thieves; loaf loaves; calf calves;
"""
_AMBIGUOUS: Final = frozenset({"leaves", "ground", "bound", "wound", "rose", "felt", "lives"})
"""Forms that are as often words of their own."""

BASE: Final = {
    form: base
    for base, *forms in (entry.split() for entry in _FORMS.split(";") if entry.strip())
    for form in forms
    if form not in _AMBIGUOUS
}
"""The word that a form is one of."""
