"""Tiny models with random weights, for claims about transformers."""

import string

from authbench.models.parameters import TransformerParameters

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase, "."]
WORDS += [f"##{letter}" for letter in string.ascii_lowercase]
_SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def write_checkpoint(folder, kind="bert", positions=64):
    """Write a model and its tokenizer as Hugging Face lays them out.

    Args:
        kind: of the architecture, `bert`, `xlm-roberta` or `qwen3`.
        positions: the most tokens of a text.
    """
    import torch
    from transformers import AutoConfig, AutoModel

    folder.mkdir(exist_ok=True)
    tokenizer = _word_pieces(folder, positions) if kind == "bert" else _letters(kind, positions)
    sizes = {**_SIZES, "vocab_size": len(tokenizer), "max_position_embeddings": positions + 2 * (kind != "bert")}
    if kind == "qwen3":
        sizes |= {"num_key_value_heads": 1, "head_dim": 8}
    torch.manual_seed(1)
    config = AutoConfig.for_model(kind, **sizes)
    AutoModel.from_config(config).eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def write_language_model(folder, texts=(), rounds=80):
    """Write a model that has read these texts, of equal length, many times."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    tokenizer, threads = _letters("qwen3", 1024), torch.get_num_threads()
    torch.set_num_threads(1)  # faster for so few numbers
    torch.manual_seed(1)
    sizes = {"n_embd": 32, "n_layer": 1, "n_head": 2, "n_positions": 1024, "vocab_size": len(tokenizer)}
    certain = dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop", "bos_token_id", "eos_token_id"), 0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model("gpt2", **sizes, **certain))
    ids = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
    steps = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(rounds if ids else 0):
        steps.zero_grad()
        model(input_ids=torch.tensor(ids), labels=torch.tensor(ids)).loss.backward()
        steps.step()
    torch.set_num_threads(threads)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _word_pieces(folder, positions):
    from transformers import BertTokenizerFast

    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    return BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=positions)


def _letters(kind, positions):
    """Return a tokenizer of letters: SentencePiece's unigrams as of XLM-RoBERTa, or byte pairs as of Qwen3."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    if kind == "qwen3":
        letters = sorted(pre_tokenizers.ByteLevel.alphabet())
        tokenizer = Tokenizer(models.BPE({letter: at for at, letter in enumerate([*letters, "<|endoftext|>"])}, []))
        tokenizer.pre_tokenizer, tokenizer.decoder = (
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            decoders.ByteLevel(),
        )
        tokenizer.post_processor = processors.TemplateProcessing(
            single="$A <|endoftext|>", special_tokens=[("<|endoftext|>", len(letters))]
        )
        special = {"pad_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
    else:
        pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", *string.ascii_lowercase, string.punctuation]
        tokenizer = Tokenizer(models.Unigram([(piece, -float(at)) for at, piece in enumerate(pieces)], unk_id=3))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
        )
        special = {
            "pad_token": "<pad>",
            "eos_token": "</s>",
            "cls_token": "<s>",
            "sep_token": "</s>",
            "unk_token": "<unk>",
        }
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=positions, **special)


def settings(checkpoint, **changed):
    """Return the parameters of a model that reads the checkpoint."""
    given = {"checkpoint": str(checkpoint), "pooling": "mean", "max_tokens": 32, **changed}
    return TransformerParameters(**given)
