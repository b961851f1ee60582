"""Texts of the tokenizer goldens, by subject. All written for this project. Bytes stand for text that is not UTF-8."""

ENGLISH = [
    "", " ", "a", "Hello", "Hello, world!", " leading blank", "trailing blank ", "two  blanks", "three   blanks here",
    "The engine reads a prompt and writes one token at a time.",
    "Blocks are shared between requests that begin alike; the cache keeps them until nobody needs them.",
    "UPPER CASE, lower case, Mixed Case, camelCase, snake_case, kebab-case, SCREAMING_SNAKE.",
    "Dr. Noor (a physicist) said: \"measure twice, cut once\" - and left.",
    "e.g. i.e. etc. vs. a.m. p.m.", "semi;colon: dash-dash -- and --- more", "wait... what?!?! No!!!",
    "An unusually long sentence, which goes on, and on, because its writer, who had been paid by the word, saw no reason to stop.",
    "http://localhost:8080/v1/completions?x=1&y=2#top", "someone@example.org", "/usr/share/doc/README.md", "C:\\temp\\new.txt",
    "50% of 3/4 is 0.375 = 3.75e-1", "(a) [b] {c} <d> |e| `f` ~g~ ^h^ *i* _j_", "#hashtag @mention $PATH %d &amp;",
    "antidisestablishmentarianism", "Pneumonoultramicroscopicsilicovolcanoconiosis is a word",
    "A\nB\nC", "\n", "\n\n", "\n\n\nend", "line one\n  indented\n\ttabbed\n", "ends with newline\n", " \n \n ", "a \n b",
    "The quick tests run first; the slow ones run at night.", "tokenizer tokenizers tokenized tokenization",
    "It was the cat's, not the cats' - its own.", "naive café, rôle, coöperate, façade, jalapeño, Zürich, smörgåsbord",
]

CONTRACTIONS = [
    "don't", "can't won't shan't", "I'm you're he's she'd we'll they've", "DON'T I'M YOU'RE", "Don'T i'M", "it's 's 't 're 've 'm 'll 'd",
    "'s", "'S", "x's's's", "rock 'n' roll", "the '90s", "o'clock d'accord l'été", "y'all'd've", "don’t it’s (typographic)", "''''", "'ll'll 'LL",
    "that's\u00a0it", "'sam 'tom 'red 'very 'mad 'lla 'dog",
]

FRENCH = [
    "Bonjour, comment allez-vous aujourd'hui ?", "L'élève a reçu un prix à l'école.", "« Où êtes-vous ? » demanda-t-il.",
    "Ça y est : l'œuvre est achevée, cœur léger.", "Nous avons mangé du pâté, des crêpes et un gâteau très sucré.",
    "Le modèle produit un jeton à la fois ; le serveur l'envoie aussitôt.", "Qu'est-ce que c'est que ça ?", "ÉCOLE ÀÉÈÊËÎÏÔÙÛÜŸÇŒÆ",
    "Prix : 1 234,56 € (TTC)", "aujourd’hui, jusqu’à, lorsqu’il", "Noël à Orléans, été comme hiver.", "décembre 2023, n° 42",
]

ARABIC = [
    "مرحبا بالعالم", "كيف حالك اليوم؟", "هذا خادم يكتب كلمة بعد كلمة.", "اللُّغَةُ العَرَبِيَّةُ جَمِيلَةٌ", "الأرقام: ١٢٣٤٥ و 67890",
    "نعم، شكرًا جزيلاً!", "«اقتباس» ـــ تطويل", "قال: \"لا بأس\" ثم ذهب.", "ﷺ ﷲ لا", "اليوم 3 مارس ٢٠٢٤ على الساعة ١٠:٣٠", "سؤال/جواب؛ فاصلة، نقطة.",
    "بسـم", "طُ\u0651", "\u200fنص من اليمين\u200e", "پارسی و اردو ٹ ڈ", "عربي English عربي",
]

DARIJA = [
    "لاباس عليك؟ كيداير مع الخدمة؟", "غادي نمشي للسوق غدا فالصباح", "واش بغيتي أتاي ولا قهوة؟", "هادشي زوين بزاف", "ماعنديش الوقت دابا",
    "labas 3lik? kidayr m3a lkhedma?", "ghadi nmchi l souk ghda f sbah", "wach bghiti atay wla 9ahwa?", "hadchi zwin bzaf", "ma3ndich lwe9t daba",
    "safi, nchoufk mn be3d inchallah", "3afak 3tini 2 dyal l7lib", "chno smitek? smiti Hamza", "l7amdolillah, koulchi mzyan", "Bghit n9ra 7ta l 12h30",
    "ڭالس فالدار", "ﻣﺎﻛﺎﻳﻦ ﻣﺸﻜﻞ",
]

CODE = [
    "def add(a, b):\n    return a + b\n", "for i in range(10):\n\tprint(i)\n", "class Pool:\n    def __init__(self, n: int) -> None:\n        self.free = list(range(n))\n",
    "int main(void) {\n  return 0;\n}\n", "std::vector<std::pair<int, float>> rows(n);\nfor (auto& [k, v] : rows) v *= 2.0f;\n",
    "template <class T>\nconcept Number = requires(T a) { a + a; };\n", "#include <span>\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n",
    "fn main() {\n    let v: Vec<u8> = vec![0; 16];\n    println!(\"{:?}\", v);\n}\n", "let f = |x: &str| -> Option<usize> { x.find('/') };",
    "func read(r io.Reader) ([]byte, error) {\n\treturn io.ReadAll(r)\n}\n", "const sum = (xs) => xs.reduce((a, b) => a + b, 0);\n",
    "async function* lines(stream) { for await (const chunk of stream) yield chunk; }", "interface Row { id: number; name?: string }",
    "SELECT id, count(*) FROM events WHERE day >= '2024-01-01' GROUP BY id HAVING count(*) > 3;", "{\"a\": [1, 2.5, -3e-7, null, true], \"b\": {\"c\": \"d\\n\"}}",
    "<ul class=\"menu\">\n  <li><a href=\"#\">Home</a></li>\n</ul>", "body > .menu li:nth-child(2n+1) { color: #ff8800; margin: 0 auto; }",
    "server {\n    listen 80;\n    location / { proxy_pass http://127.0.0.1:8080; }\n}", "if [ -n \"$1\" ]; then echo \"${1%%.*}\"; fi | sed 's/a/b/g'",
    "all: build test\n\nbuild:\n\tcmake --build build -j\n", "key: value\nlist:\n  - one\n  - two\nnested:\n    deep: true\n", "[section]\nname = \"x\"\nports = [80, 443]\n",
    "\\frac{a}{b} + \\sum_{i=0}^{n} x_i^2 = \\int_0^\\infty e^{-x} dx", "public static void main(String[] args) { System.out.println(args.length); }",
    "x = y if z else w  # comment\n'''doc'''\n", "SELECT\t*\nFROM\tt;", "a+=b; a-=b; a*=b; a/=b; a%=b; a<<=1; a>>=1; a&=b; a|=b; a^=b;", "!=== !== == => -> :: ... ?? ?.",
    "    four\n        eight\n            twelve\n                sixteen\n", "\tone\n\t\ttwo\n\t\t\tthree\n", "0xDEADBEEF 0b1010 1_000_000 1e10 .5 5. 0777",
    "def main():\r\n    pass\r\n", "<?php echo $a['b']->c(); ?>", "let s = `a ${b + `c ${d}`} e`;", "/* block */ // line\n", "(defun square (x) (* x x))", "x <- c(1, 2, 3); y = x %>% sum()",
    "################################################################################", "--------------------------------", "==========", "////////", "********", "__________",
]

EMOJI = [
    "😀", "😀😀😀", "hello 😀 world", "👍🏽 👍🏿", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇲🇦🇫🇷", "❤️ ❤", "👩🏾‍💻 writes code", "1️⃣ 2️⃣ #️⃣", "🤷‍♂️🤷‍♀️", "🧑‍🚀🚀🌕", "☕️☀️⚡", "😀a😀", "a\u200db",
    "🫠🫡🫶", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "text️ variation︎", "♟️♞", "🎉🎉 party 🎉",
]

CJK = [
    "你好，世界！", "今天天气很好。我们去公园吧。", "模型每次生成一个词元。", "繁體中文測試", "日本語のテキストです。", "カタカナとひらがなと漢字", "ﾊﾝｶｸ カナ", "東京タワーは333メートルです。",
    "안녕하세요 세계", "한국어 문장은 띄어쓰기가 있습니다.", "\u1112\u1161\u11ab\u1100\u1173\u11af", "中文English混合123文字", "「引用」『二重』（括弧）", "全角ＡＢＣ１２３！", "〇一二三四五六七八九十", "𠀀𠮷𡈽", "\U00031350\U00031351 \U0002EBF0",
    "ㄅㄆㄇㄈ", "々〆ヶ", "。、・ー〜",
]

OTHER_SCRIPTS = [
    "Привет, мир! Как дела?", "Сервер пишет токены по одному.", "Γειά σου Κόσμε", "שלום עולם", "שָׁלוֹם", "नमस्ते दुनिया", "क्षत्रिय ज्ञान श्री", "বাংলা ভাষা", "தமிழ் மொழி", "తెలుగు", "ไทยไม่มีช่องว่าง", "ខ្មែរ",
    "ქართული ენა", "Հայերեն", "ⵜⴰⵎⴰⵣⵉⵖⵜ ⵜⴰⵎⵖⵔⵉⴱⵉⵜ", "አማርኛ", "Tiếng Việt có nhiều dấu", "Türkçe İstanbul ığüşöç", "Łódź żółć", "Þór ð Æ", "ᏣᎳᎩ", "ᠮᠣᠩᠭᠣᠯ\u180eᠠ", "𐎀𐎁𐎂", "𝒜𝓑𝒞 𝔄𝔅ℭ 𝟘𝟙𝟚",
    "ᚠᚢᚦ ᚨᚱᚲ", "Ꝏ ꝏ ǆ ǅ", "ʰʲʷ ˈfoʊ.ni", "ꜱᴍᴀʟʟ ᴄᴀᴘꜱ", "\U00010D40\U00010D41 \U00010D4A\U00010D50", "\U0001E4D0\U0001E4F1\U0001E5D0", "\U00011F02a\U00011F04", "\U00011DE0\U00016FF4x",
]

COMBINING = [
    "e\u0301", "cafe\u0301 caf\u00e9", "a\u0300\u0301\u0302\u0303", "Z\u0351\u036b\u0343a\u0328\u032cl\u0320g\u0353o\u0321", "n\u0303 \u00f1", "\u0301alone", " \u0301", "o\u0308\u0304", "\u20dd\u20de", "x\u0338=",
    "\u00c5 A\u030a \u212b", "ﬁ ﬂ ﬃ", "q\u0307\u0323 q\u0323\u0307", "각 \u1100\u1161\u11a8",
]

WHITE_SPACE = [
    "  ", "   ", "    ", "        ", " " * 15, " " * 16, " " * 17, " " * 64, " " * 255, " " * 1000, "a" + " " * 8 + "b", "a" + " " * 9 + "9", " " * 7 + "\n", "\n" + " " * 20 + "x", "\t", "\t\t", "\t\t\t\t\t", " \t \t", "\t a", " \ta",
    "\r\n", "\r\n\r\n", "a\r\nb\r\n", "a\rb", "\n\r", "\r", "a \r\n b", "a\n\n\n\nb", "\n" * 40, "\r\n" * 20, "a\u00a0b", "\u00a0\u00a0", "a \u00a0b", "\u3000全角\u3000", "\u2003em\u2003space", "\u2009thin", "a\u200bb", "\u200b", "\ufeffbom", "a\u2028b\u2029c",
    "\u0085next", "\u180e", "a \u180eb", "\x0b\x0c", "a\x0bb \x0cc", "\u1680x", "\u202fy \u205fz", " \u2000\u2001 \u2002", "x \n\ty  \n\t\tz", "a  \n", "  .", "  1", "   'tis", "  \u00e9", "\t\tif (x) {\n\t\t\ty();\n\t\t}",
]

NUMBERS = [
    "0", "7", "10", "123", "1234567890", "3.14159", "-42", "+1 (555) 010-9999", "1,000,000", "2024-03-09T12:34:56Z", "v1.2.3-rc4", "a1b2c3", "1a 2b", "100%", "$9.99", "1 2  3   4", "½ ¼ ¾", "x² + y³", "Ⅷ ⅷ ↂ", "①②③", "٣٤٥", "१२३", "๑๒๓", "一二三", "１２３",
    "1e-9", "0.1+0.2=0.30000000000000004", "007", "10^9", "99 bottles", "IPv6 ::1 fe80::1", "12½", "𝟏𝟐𝟑", "㉈㊿", "৴৵", "1\n2\n3", "9'9\"",
]

CONTROL_CHARACTERS = [
    "\x00", "a\x00b", "\x01\x02\x03", "\x04", "a\x04b", "!\x04!", "\x06\x13\x14\x16\x1d", "##\x13##", "\x1b[31mred\x1b[0m", "\x7f", "\x80\x81", "bell\x07 back\x08", "\x1f\x1e", "\ufffd", "\ufffe\uffff", "\ue000\uf8ff", "\U0010ffff",
    "\U00040000", "!\U00040000!", "\U000e0001", "\u2066isolate\u2069", "soft\u00adhyphen",
]

SPECIAL = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|im_start|>user\nHi<|im_end|>\n", "<|im_start|>system\nYou answer briefly.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n",
    "a<|im_end|>b", "a <|im_end|> b", "<|im_end|><|im_end|>", "<|im_end|", "|im_end|>", "< |im_end|>", "<|IM_END|>", "<|im_end|>>", "<<|im_end|>", "<|im_<|im_end|>end|>", "<|im_start|><|im_start|>", "text<|endoftext|>text",
    "<repo_name>mine<file_sep>a.py\nx = 1\n", "<filename>b.c<gh_stars>100", "<issue_start>broken<issue_comment>fixed<issue_closed>", "<jupyter_start><jupyter_text>T<jupyter_code>1+1<jupyter_output>2<empty_output>", "<jupyter_script>",
    "<reponame>", "<repo_name", "<|im_start|>😀<|im_end|>", "<|im_start|>\r\n<|im_end|>", " <|im_start|>", "1<|im_end|>2", "don<|im_end|>'t", "<|im_end|>\u0301", "<|endoftext|><|endoftext|>\n",
]

LONG = [
    "a" * 300, "ab" * 200, "xyz" * 333, "A" * 100 + "b" * 100, "supercalifragilistic" * 20, "-" * 500, "!?" * 150, "é" * 200, "你" * 150, "😀" * 80, "the " * 100, "0" * 200, "lalala" * 60, "qwertyuiopasdfghjklzxcvbnm" * 12, "\\n" * 90, "=" * 81, "#" * 161,
    "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "Donaudampfschifffahrtsgesellschaftskapitän", "z" * 4000, "aaaaaaaaab" * 150,
]

NOT_UTF8 = [
    b"\x80", b"a\x80b", b"\xff", b"\xc3", b"caf\xc3", b"\xc3(", b"\xe2\x82", b"\xe2\x82z", b"\xe2\x28\xa1", b"\xf0\x9f\x98", b"\xf0\x9f\x98 x", b"\xf0\x9f\xf0\x9f\x98\x80", b"\xc0\x80", b"\xc1\xbf", b"\xed\xa0\x80", b"\xed\xb0\x80\xed\xa0\x80",
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe\xff", b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"hello \xe9t\xe9 world", b"\x80\x81\x82\x83", b"a\xe2\x80b\xe2\x80\x99c", b"\xa0\xa1 \xa2", b"  \xa0  x", b"don\x92t",
    b"<|im_end|\xff>", b"\xe2<|im_end|>", b"<|im_start|>\xc3<|im_end|>\xc3", b"\xc3\xa9\xa9\xc3", b"12\xb2" b"34", b"\xe4\xbd\xa0\xe5\xa5", b"\xbf\xe4\xbd\xa0", b"\xef\xbb\xbf\xef\xbb", b"\n\x80\n", b" \x80 \x80 ",
]

GROUPS = {
    "english": ENGLISH, "contractions": CONTRACTIONS, "french": FRENCH, "arabic": ARABIC, "darija": DARIJA, "code": CODE, "emoji": EMOJI, "cjk": CJK,
    "other_scripts": OTHER_SCRIPTS, "combining": COMBINING, "white_space": WHITE_SPACE, "numbers": NUMBERS, "control_characters": CONTROL_CHARACTERS,
    "special": SPECIAL, "long": LONG, "not_utf8": NOT_UTF8,
}
