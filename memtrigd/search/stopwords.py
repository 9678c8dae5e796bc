"""Words that a question is full of and that no answer hangs on. They leave queries, never the index."""

from typing import Final

from memtrigd.search.devanagari import normalise

_ENGLISH: Final = """
a about above after again against all am an and any are aren as at be because been before being below between both but
by can cannot cant could couldnt d did didnt do does doesnt doing dont down during each ever few for from further had
hadnt has hasnt have havent having he her here hers herself him himself his how i if in into is isnt it its itself just
let ll m me more most my myself no nor not now of off on once only or other our ours ourselves out over own please re s
same shall she should shouldnt so some such t tell than that the their theirs them themselves then there these they this
those through to too under until up us ve very was wasnt we were werent what when where which while who whom whose why
will with wont would wouldnt you your yours yourself yourselves
"""
_HINDI: Final = """
का के की को में से पर है हैं था थे थी थीं और या कि यह वह ये वे इस उस इन उन एक ने भी तो ही हो होता होती होते हुआ हुई हुए कर करता करते
करती करने किया किए गया गई गए जा जो जब तक लिए साथ द्वारा क्या कौन कब कहां कहाँ कैसे कितना कितने कितनी कौनसा किस किसने किसे किसका
किसके किसकी क्यों अपना अपने अपनी मैं मेरा मेरे मेरी हम हमारा तुम आप आपका नहीं न रहा रहे रही सकता सकते सकती
"""
_MARATHI: Final = """
आहे आहेत होता होती होते होत्या व आणि किंवा की हा ही हे ह्या या तो ती ते त्या त्याने तिने त्यांनी एक मी माझा माझी माझे आम्ही तू तुम्ही
तुझा आपण आपला नाही न का काय कोण कोणी कोणता कोणती कोणते कोणत्या केव्हा कधी कुठे कोठे कसे कसा कशी किती जे जो जी ज्या असे अशी असा असतो
असते असतात झाला झाली झाले केला केली केले करतो करते करतात येथे तेथे पण तर मग साठी मध्ये वर
"""
_CHINESE: Final = "的 了 是 在 吗 呢 和 与 及 为 被 有 么 谁 哪 几 什么 哪个 哪些 多少"

STOPWORDS: Final = frozenset(normalise(word) for word in (_ENGLISH + _HINDI + _MARATHI + _CHINESE).split())
"""As the analyser spells them: folded, without apostrophes and clitics."""
