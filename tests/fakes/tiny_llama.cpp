#include "tests/fakes/tiny_llama.h"

#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mie::test {
namespace {

constexpr std::uint16_t kHalfScale = 0x2000;    // 2^-7 as fp16
constexpr std::uint16_t kHalfMinimum = 0xAC00;  // -2^-4 as fp16

template <class T>
void put(std::vector<std::byte>& out, T value) {
  const auto at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

// Numbers of about ±1/16 in any format: a fixed scale and random quants, or random floats of few mantissa bits.
std::vector<std::byte> random_weights(QuantFormat format, std::int64_t n_elements, std::mt19937_64& random) {
  const FormatInfo& info = format_info(format);
  std::vector<std::byte> out;
  for (std::int64_t i = 0; i < n_elements / info.block_elements; ++i) {
    const auto step = static_cast<std::int32_t>(random() % 255) - 127;  // value is step / 2048
    switch (format) {
      case QuantFormat::kF32:
        put(out, static_cast<float>(step) / 2048);
        continue;
      case QuantFormat::kBF16:
        put(out, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(step) / 2048) >> 16U));
        continue;
      case QuantFormat::kF16:
        put(out, std::uint16_t(0x2400 + random() % 0x800 + (step < 0 ? 0x8000 : 0)));
        continue;
      case QuantFormat::kQ4_0:
        put(out, kHalfScale);
        break;
      case QuantFormat::kQ4_1:
        put(out, kHalfScale);
        put(out, kHalfMinimum);
        break;
      case QuantFormat::kQ8_0:
        put(out, std::uint16_t(0x1000));
        break;  // 2^-11
    }
    const auto end = static_cast<std::size_t>((i + 1) * info.block_bytes);
    while (out.size() < end) out.push_back(static_cast<std::byte>(random() & 0xff));
  }
  return out;
}

std::vector<std::byte> ones(std::int64_t n) {
  std::vector<std::byte> out;
  for (std::int64_t i = 0; i < n; ++i) put(out, 1.0F);
  return out;
}

std::string utf8(std::uint32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0U | (code >> 6U)), static_cast<char>(0x80U | (code & 0x3fU))};
}

// The character that stands for a byte in byte-level BPE: printable Latin-1 for itself, the rest from U+0100 on.
std::vector<std::string> byte_characters() {
  std::vector<std::string> characters;
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    characters.push_back(utf8(printable ? byte : next++));
  }
  return characters;
}

void add_vocabulary(GgufBuilder& file) {
  std::vector<std::string> tokens = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  std::vector<std::int32_t> types(3, 3);  // control
  for (auto& character : byte_characters()) tokens.push_back(std::move(character));
  const std::vector<std::string> merges = {"h e", "l l", "he ll", "hell o"};
  for (const char* merged : {"he", "ll", "hell", "hello"}) tokens.emplace_back(merged);
  types.resize(tokens.size(), 1);  // normal
  file.text("tokenizer.ggml.model", "gpt2");
  file.text("tokenizer.ggml.pre", "smollm");
  file.texts("tokenizer.ggml.tokens", tokens);
  file.i32s("tokenizer.ggml.token_type", types);
  file.texts("tokenizer.ggml.merges", merges);
  file.u32("tokenizer.ggml.bos_token_id", 1);
  file.u32("tokenizer.ggml.eos_token_id", 2);
  file.boolean("tokenizer.ggml.add_bos_token", false);
  file.text("tokenizer.chat_template",
            "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
            "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}");
}

void add_parameters(GgufBuilder& file, const TinyLlama& shape) {
  file.text("general.architecture", "llama");
  file.text("general.name", "tiny");
  file.u32("llama.block_count", shape.n_layers);
  file.u32("llama.context_length", shape.context_length);
  file.u32("llama.embedding_length", shape.hidden);
  file.u32("llama.feed_forward_length", shape.ffn_hidden);
  file.u32("llama.attention.head_count", shape.n_heads);
  file.u32("llama.attention.head_count_kv", shape.n_kv_heads);
  file.f32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  file.f32("llama.rope.freq_base", 10000);
  file.u32("llama.rope.dimension_count", shape.hidden / shape.n_heads);
}

}  // namespace

GgufBuilder tiny_llama(const TinyLlama& shape) {
  GgufBuilder file;
  add_parameters(file, shape);
  add_vocabulary(file);
  std::mt19937_64 random(shape.seed);
  const std::int64_t hidden = shape.hidden;
  const std::int64_t kv_rows = hidden / shape.n_heads * shape.n_kv_heads;
  const auto matrix = [&](const std::string& name, std::int64_t rows, std::int64_t columns) {
    file.tensor(name, shape.weights, {rows, columns}, random_weights(shape.weights, rows * columns, random));
  };
  const auto norm = [&](const std::string& name) { file.tensor(name, QuantFormat::kF32, {hidden}, ones(hidden)); };

  matrix("token_embd.weight", shape.n_vocab, hidden);
  for (std::uint32_t layer = 0; layer < shape.n_layers; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    norm(prefix + "attn_norm.weight");
    matrix(prefix + "attn_q.weight", hidden, hidden);
    matrix(prefix + "attn_k.weight", kv_rows, hidden);
    matrix(prefix + "attn_v.weight", kv_rows, hidden);
    matrix(prefix + "attn_output.weight", hidden, hidden);
    norm(prefix + "ffn_norm.weight");
    matrix(prefix + "ffn_gate.weight", shape.ffn_hidden, hidden);
    matrix(prefix + "ffn_up.weight", shape.ffn_hidden, hidden);
    matrix(prefix + "ffn_down.weight", hidden, shape.ffn_hidden);
  }
  norm("output_norm.weight");
  if (!shape.tied) matrix("output.weight", shape.n_vocab, hidden);
  return file;
}

}  // namespace mie::test
