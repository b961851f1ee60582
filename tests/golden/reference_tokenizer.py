"""The tokenizer of a byte-level BPE GGUF file, built from its vocabulary and merges with the Hugging Face `tokenizers`
library: the reference that ours must equal. Needs the packages tokenizers and gguf."""

import codecs

import gguf
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

CONTROL, USER_DEFINED = 3, 4  # values of tokenizer.ggml.token_type

# One row a pre-tokenizer, named as in tokenizer.ggml.pre.
PRE_TOKENIZERS = {
    "smollm": lambda: pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ]),
}


class ReferenceTokenizer:
    def __init__(self, gguf_path):
        fields = gguf.GGUFReader(gguf_path).fields
        read = lambda key: fields[f"tokenizer.ggml.{key}"].contents()
        assert read("model") == "gpt2"
        self.tokens, kinds = read("tokens"), read("token_type")
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        merges = [tuple(merge.split(" ")) for merge in read("merges")]
        self.hf = Tokenizer(models.BPE(vocab=self.ids, merges=merges))
        self.hf.pre_tokenizer = PRE_TOKENIZERS[read("pre")]()
        self.hf.add_special_tokens([AddedToken(t, normalized=False, special=True) for t, k in zip(self.tokens, kinds) if k == CONTROL])
        self.hf.add_tokens([AddedToken(t, normalized=False, special=False) for t, k in zip(self.tokens, kinds) if k == USER_DEFINED])
        self.byte_ids = [self.ids.get(letter) for letter in byte_alphabet()]

    def encode(self, text: bytes) -> list[int]:
        """Where text is UTF-8, what the library says. A byte of no well-formed code point is the token of that byte, or
        nothing when the vocabulary has none; the text before and after it stands alone."""
        ids = []
        for part in well_formed_runs(text):
            ids += self.hf.encode(part).ids if isinstance(part, str) else [i for i in [self.byte_ids[part]] if i is not None]
        return ids


def well_formed_runs(text: bytes):
    """Runs of well-formed UTF-8 as str and each byte between them as int."""
    decoder_says = lambda rest: codecs.utf_8_decode(rest, "strict", True)
    while text:
        try:
            yield decoder_says(text)[0]
            return
        except UnicodeDecodeError as error:
            if error.start:
                yield text[: error.start].decode()
            yield from text[error.start : error.end]
            text = text[error.end :]


def byte_alphabet():
    """GPT-2's letter of each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]
