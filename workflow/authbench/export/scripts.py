"""Convert languages and scripts to the codes of hubs: ISO 639-3 and ISO 15924, with scripts measured in the texts."""

from collections.abc import Iterable
from functools import cache

import polars as pl
from opencc import OpenCC

from authbench.records import OTHER

UNKNOWN = "Zyyy"  # no letters, or only letters that all scripts share
READ_CHARACTERS = 1_000  # of a text, from which its script is identified
KANA_SHARE = 5  # Han with more Kana than a fifth of them are Japanese: Chinese borrows a sign or two
LEAST_SHARE = 0.05  # of the texts of a language, from which a script is named as one of the language

_LETTERS = {
    "Latn": r"\p{Latin}",
    "Cyrl": r"\p{Cyrillic}",
    "Arab": r"\p{Arabic}",
    "Deva": r"\p{Devanagari}",
    "Hani": r"\p{Han}",
    "Kana": r"[\p{Hiragana}\p{Katakana}]",
    "Hang": r"\p{Hangul}",
    "Grek": r"\p{Greek}",
    "Hebr": r"\p{Hebrew}",
    "Thai": r"\p{Thai}",
    "Beng": r"\p{Bengali}",
    "Taml": r"\p{Tamil}",
    "Telu": r"\p{Telugu}",
    "Armn": r"\p{Armenian}",
    "Geor": r"\p{Georgian}",
    "Ethi": r"\p{Ethiopic}",
}
_HAN = ((0x3400, 0x4DC0), (0x4E00, 0xA000))

# The codes of two letters (ISO 639-1) with the codes of three (ISO 639-3) for the same languages.
_PAIRS = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bi:bis
bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu cv:chv cy:cym da:dan de:deu
dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry
ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina
id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz
kl:kal km:khm kn:kan ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao
lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde
ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol
ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag sh:hbs si:sin sk:slk
sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir
tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol
wa:wln wo:wol xh:xho yi:yid yo:yor za:zha zh:zho zu:zul
"""
_THREE = dict(pair.split(":") for pair in _PAIRS.split())


def three_letters(lang: str) -> str:
    """Return the ISO 639-3 code of a language of a release.

    >>> three_letters("zh"), three_letters("haw"), three_letters("other")
    ('zho', 'haw', 'und')
    """
    return "und" if lang == OTHER else _THREE.get(lang, lang)


def scripts_of(texts: pl.DataFrame) -> pl.DataFrame:
    """Return how many texts of each language are in each script.

    The script of a text is the script of most letters in its first READ_CHARACTERS characters. Han in Japanese, and Han
    with many Kana (KANA_SHARE), are `Jpan`. Other Han are `Hant` or `Hans` by the characters that only one of the two
    uses: characters that OpenCC's tables change and that the other's encoding (GB 2312, Big5) lacks; `Hani` if a text
    has no such characters, or as many of both.

    Returns:
        `lang`, `script` (ISO 15924), `texts`, sorted.
    """
    begin = pl.col("text").str.slice(0, READ_CHARACTERS)
    counts = texts.select("lang", begin).with_columns(
        pl.col("text").str.count_matches(pattern).cast(pl.Int32).alias(code) for code, pattern in _LETTERS.items()
    )
    most = pl.concat_list(list(_LETTERS))
    script = pl.lit(pl.Series(list(_LETTERS))).gather(most.list.arg_max())
    japanese = (pl.col("Kana") * KANA_SHARE > pl.col("Hani")) | (pl.col("lang") == "ja")
    found = counts.with_columns(script.alias("script"), most.list.max().alias("letters")).with_columns(
        pl.when(pl.col("letters") == 0)
        .then(pl.lit(UNKNOWN))
        .when(pl.col("script").is_in(["Hani", "Kana"]) & japanese)
        .then(pl.lit("Jpan"))
        .otherwise("script")
        .alias("script")
    )
    han = found["script"] == "Hani"
    if han.any():
        known = found.filter(han)["text"].map_elements(_variant, pl.String)
        found = pl.concat([found.filter(~han), found.filter(han).with_columns(known.alias("script"))])
    return found.group_by("lang", "script").agg(pl.len().alias("texts")).sort("lang", "script")


def named_scripts(counts: pl.DataFrame) -> dict[str, list[str]]:
    """Return the scripts of each language, the most frequent first, from `scripts_of` of all batches or their sum.

    Scripts need at least LEAST_SHARE of the texts whose script is known; a language without any gets `Zyyy`. `Hani` is
    left out if there is `Hans` or `Hant`: such a text can be read as either.
    """
    found = {}
    for (lang,), rows in counts.group_by("lang", maintain_order=True):
        of_lang = rows.group_by("script").agg(pl.col("texts").sum()).sort("texts", "script", descending=[True, False])
        known = of_lang.filter(pl.col("script") != UNKNOWN)
        if known["script"].is_in(["Hans", "Hant"]).any():
            known = known.filter(pl.col("script") != "Hani")
        common = known.filter(pl.col("texts") >= LEAST_SHARE * pl.col("texts").sum())
        found[str(lang)] = common["script"].to_list() or [UNKNOWN]
    return found


def _variant(text: str) -> str:
    traditional, simplified = _variants()
    left = sum(sign in traditional for sign in text) - sum(sign in simplified for sign in text)
    return "Hant" if left > 0 else "Hans" if left < 0 else "Hani"


@cache
def _variants() -> tuple[frozenset[str], frozenset[str]]:
    """Return the characters that only traditional, and only simplified Chinese uses."""
    signs = [chr(point) for span in _HAN for point in range(*span)]
    return _changed(signs, "t2s", "gb2312"), _changed(signs, "s2t", "big5")


def _changed(signs: Iterable[str], conversion: str, encoding: str) -> frozenset[str]:
    converter = OpenCC(conversion)
    return frozenset(sign for sign in signs if not sign.encode(encoding, "ignore") and converter.convert(sign) != sign)
