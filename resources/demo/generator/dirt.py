"""Which sentences are planted as dirt, as clean texts that look like it, and as insults?"""

from collections.abc import Mapping

# Text, language, reason of the filter.
DIRT: tuple[tuple[str, str, str, str], ...] = (
    ("words that repeat", "en", "few_distinct_words", "rain sun wind snow " * 30),
    ("one dominant word", "en", "dominant_word", "very " * 17 + "good soup indeed"),
    (
        "symbols",
        "en",
        "too_many_symbols",
        "=> ** ++ && %% ## oh no now yes ^^ ~~ || \\\\ // {} ok [] () <> $$ !! ;; :: -- == ++ /-\\ |_| {**}",
    ),
    ("digits", "en", "too_few_letters", "17, 23, 42, 56, 61 and 88, 93, 12, 34, 57, 66, 71, 82, 99, 15, 27"),
    ("no letter in a short text", "en", "no_letters", "12/10 !!"),
    ("a repeated character", "en", "repeated_characters", "Nooo" + "o" * 600 + " I did not expect that ending at all"),
    (
        "numbers for words",
        "en",
        "few_words_with_letters",
        "Incomprehensibilities 4 5 1 2 8 7 counterrevolutionaries 6 7 2 4 1 internationalisation 9 8 3 5",
    ),
    ("single letters", "en", "single_letters", "a b c d e f g cats h k l m n p q r s mice t u v w x z"),
    (
        "a run of single letters",
        "en",
        "single_letter_run",
        "Please "
        + "R E A D T H I S N O W " * 4
        + "before you answer any of my questions tonight because I explained it twice",
    ),
    (
        "Russian labelled English",
        "en",
        "wrong_script",
        "Сегодня мы весь вечер сидели у реки и говорили о том, как быстро прошло лето и как жаль уезжать.",
    ),
    (
        "Spanish labelled English",
        "en",
        "wrong_language",
        "Ayer estuvimos toda la tarde junto al río hablando de lo rápido que pasó el verano y de lo que cuesta volver.",
    ),
    (
        "English labelled Japanese",
        "ja",
        "wrong_script",
        "We sat by the river all evening and talked about how quickly the summer went and how hard it is to leave.",
    ),
    (
        "French labelled German",
        "de",
        "wrong_language",
        "Nous avons passé toute la soirée au bord de la rivière à parler de cet été si court et du triste retour.",
    ),
)

# Clean texts that crude rules would drop.
CLEAN: tuple[tuple[str, str, str], ...] = (
    ("a short Korean verdict", "ko", "굿.."),
    ("Korean laughter", "ko", "ㅋㅋㅋㅋㅋㅋ 진짜 웃겨요"),
    ("Chinese laughter", "zh", "哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈哈，你先走吧"),
    ("a word spelled out", "en", "So he just stood there and began to L-A-U-G-H, or was it C R Y I N G O U T?"),
    ("a drawn-out vowel", "en", "Sooooooooooooooooooooooooooooooooooo tired of this weather"),
    (
        "a long Japanese silence",
        "ja",
        "「…………。」と父は黙っていた。「…………。」母も何も言わなかった。それから二人は同時に笑い出して、わたしはやっと安心した。",
    ),
    ("emoji with words", "en", "Finally home 🏡🎉🎉🎉 best day ever 😂😂😂🔥🔥🔥 ❤️❤️"),
    ("a family emoji", "es", "Todos juntos por fin 👨‍👩‍👧‍👦 qué alegría"),
    ("vocalised classical Arabic", "ar", "قَالَ الْحَكِيمُ: مَنْ صَبَرَ ظَفِرَ، وَمَنْ عَجِلَ نَدِمَ، وَالْعِلْمُ نُورٌ وَالْجَهْلُ ظَلَامٌ."),
    ("half-width joiners in Hindi", "hi", "आज मौसम बहुत अच्छा है और राष्ट्\u200dरीय उद्यान में भीड़ भी कम थी।"),
    ("capitals and marks", "en", "WHAT?! No way... (really?!)"),
    ("a quoted English title in Chinese", "zh", "刚看完 The Long Winter of the Silent Lighthouse Keeper，比想象的好看"),
)

# Insults at which the word lists give more than 0.8, in otherwise harmless sentences.
TOXIC: Mapping[str, str] = {
    "en": "You worthless piece of shit, leave my garden alone",
    "es": "Pues que te jodan a ti y a tu bicicleta",
    "fr": "Allez, va te faire foutre avec ton vélo",
    "ru": "Чтоб ты сдох вместе со своим велосипедом",
    "de": "So ein Wichser, hat mir das Fahrrad geklaut",
    "ar": "هذا المعرص سرق دراجتي أمس",
    "ja": "自転車を盗んだクソ野郎が許せない",
    "ko": "내 자전거 훔친 놈아 좆까",
    "zh": "你这个傻逼把我的自行车弄丢了",
    "hi": "उस चूतिया ने मेरी साइकिल चुरा ली",
}
RUDE = "Damn, what an idiot I was to sell that bicycle"

ITALIAN = (
    "Ieri sera abbiamo cucinato una zuppa di lenticchie per tutta la famiglia e nessuno si è lamentato.",
    "Il treno era in ritardo di due ore, ma la signora seduta accanto a me raccontava storie bellissime.",
    "Domani torno in giardino a piantare i pomodori, sempre che non piova come la settimana scorsa.",
)
