#include "tests/server/test_server.h"

#include "server/fake_model.h"
#include "server/kv_budget.h"

#include <gtest/gtest.h>

namespace mie::test {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);
constexpr auto kPoll = std::chrono::milliseconds(2);
constexpr int kContext = 2048;

LoadedModel fake_model(const TestServerSetup& setup, StepGate& gate) {
  LoadedModel model;
  model.served.names = {"fake", "alias"};
  model.served.tokenizer = make_tokenizer(fake_tokenizer_config(setup.fake.n_vocab, *setup.fake.eos)).value();
  model.served.chat_template = ChatTemplate::parse(std::string(fake_chat_template()), "", "<|im_end|>").value();
  model.served.eos_ids = {*setup.fake.eos};
  model.served.n_vocab = setup.fake.n_vocab;
  model.served.backend = model.served.architecture = "fake";
  model.served.kv_dtype = model.served.weight_format = "none";
  model.served.fingerprint = "mie-test";
  const PageLayout shape{.n_layers = 1, .n_kv_heads = 1, .head_dim = 1, .element_bytes = 2};
  const auto kv = plan_kv(setup.config, kContext, shape, KvTouch::kAtStart, 1 << 24).value();
  model.n_blocks = kv.n_blocks;
  model.block_size = kv.block_size;
  model.served.max_model_len = kv.max_model_len;
  auto runner = std::make_unique<FakeRunner>(setup.fake, kv.n_blocks, kv.block_size);
  runner->set_faults(setup.faults);
  runner->set_before_step([&gate](int, const StepBatch&) { gate.wait(); });
  model.runner = std::move(runner);
  return model;
}

ListenAddress any_port() {
  ListenAddress address;
  address.port = 0;
  return address;
}

}  // namespace

void StepGate::close() {
  const std::lock_guard held(mutex_);
  open_ = false;
}

void StepGate::open() {
  {
    const std::lock_guard held(mutex_);
    open_ = true;
  }
  changed_.notify_all();
}

void StepGate::wait() {
  std::unique_lock held(mutex_);
  changed_.wait(held, [this] { return open_; });
}

TestServer::TestServer(TestServerSetup setup)
    : setup_(std::move(setup)),
      service_(setup_.config.server, clock_, registry_),
      table_({setup_.config.server.max_connections, setup_.config.server.max_connections_per_address}) {
  if (setup_.loaded) {
    serving_ =
        std::make_unique<ServingModel>(fake_model(setup_, gate_), setup_.config, clock_, registry_, [](const std::string&) {});
    service_.serve(serving_->loaded());
  }
  listener_ = Listener::open(context_, any_port(), service_, table_).value();
  listener_->start();
  for (int i = 0; i < setup_.config.io_threads; ++i) {
    io_.emplace_back([this] {
      const auto keep = net::make_work_guard(context_);
      context_.run();
    });
  }
}

TestServer::~TestServer() {
  gate_.open();
  listener_->close();
  table_.close_waiting();
  context_.stop();
  for (auto& thread : io_) thread.join();
  service_.slow_lane().join();
  if (serving_) serving_->engine().stop();
}

void TestServer::begin_drain() {
  service_.begin_drain();
  if (serving_) serving_->engine().begin_drain();
  table_.close_idle();
}

std::string TestServer::expected_text(const std::string& prompt, int n) const {
  const auto& tokenizer = *serving_->model().tokenizer;
  const auto ids =
      FakeRunner::expected_tokens(setup_.fake, tokenizer.encode(prompt), n, {.temperature = 0}, serving_->model().eos_ids);
  Detokenizer decode;
  std::string text;
  for (const TokenId id : ids) {
    if (!tokenizer.special(id)) text += decode.push(tokenizer.token_bytes(id));
  }
  return text + decode.finish();
}

std::map<std::string, double> TestServer::metrics() const {
  std::map<std::string, double> found;
  const std::string text = connect().get("/metrics").body;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const auto space = line.rfind(' ');
    if (!line.starts_with('#') && space != std::string::npos) found[line.substr(0, space)] = std::stod(line.substr(space + 1));
    at = end + 1;
  }
  return found;
}

double TestServer::metric(const std::string& name_and_labels) const {
  double sum = 0;
  for (const auto& [name, value] : metrics()) {
    if (name == name_and_labels || name.starts_with(name_and_labels + "{")) sum += value;
  }
  return sum;
}

bool TestServer::wait_for(const std::string& name, double value) const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (metric(name) != value) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

void TestServer::expect_idle() const {
  for (const char* gauge : {"mie_requests_checking", "mie_requests_active", "vllm:num_requests_running",
                            "vllm:num_requests_waiting", "mie_kv_blocks{state=\"used\"}", "mie_tokens_pending",
                            "mie_waiting_tokens", "mie_body_bytes", "mie_output_buffer_bytes"}) {
    EXPECT_TRUE(wait_for(gauge, 0)) << gauge << " stays " << metric(gauge);
  }
}

}  // namespace mie::test
