#include "core/engine/mailbox.h"

#include "tests/engine/requests.h"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

namespace mie::test {
namespace {

class MailboxTest : public ::testing::Test {
 protected:
  std::vector<Submission> submissions(int first, int n) {
    std::vector<Submission> made;
    for (int i = first; i < first + n; ++i) {
      Request request = make_request(i, 3, 3);
      request.id = RequestId(static_cast<std::uint64_t>(i));
      made.push_back(
          {std::make_shared<const Request>(request), std::make_shared<TokenStream>(request.id, io.get_executor()), {}});
    }
    return made;
  }

  net::io_context io;
  Mailbox mailbox;
};

TEST_F(MailboxTest, OnlyTheFirstMailAsksForAWakeUp) {
  EXPECT_TRUE(mailbox.empty());
  EXPECT_TRUE(mailbox.submit(submissions(1, 2)));
  EXPECT_FALSE(mailbox.submit(submissions(3, 1)));
  EXPECT_FALSE(mailbox.release(RequestId(1), {.outcome = Outcome::kClientGone, .n_delivered = 0, .at = {}}));
  const Mail mail = mailbox.take();
  ASSERT_EQ(mail.submitted.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(mail.submitted[i].request->id, RequestId(i + 1));
  EXPECT_EQ(mail.released.size(), 1U);
  EXPECT_TRUE(mailbox.empty());
  EXPECT_TRUE(mailbox.release(RequestId(2), {}));
}

TEST_F(MailboxTest, EachRequestIsReleasedOnce) {
  mailbox.submit(submissions(1, 1));
  mailbox.release(RequestId(1), {.outcome = Outcome::kComplete, .n_delivered = 3, .at = {}});
  mailbox.release(RequestId(1), {.outcome = Outcome::kClientGone, .n_delivered = 0, .at = {}});
  mailbox.release(RequestId(9), {});
  const Mail mail = mailbox.take();
  ASSERT_EQ(mail.released.size(), 1U);
  EXPECT_EQ(mail.released.at(RequestId(1)).outcome, Outcome::kComplete);
  EXPECT_FALSE(mailbox.release(RequestId(1), {}));
  EXPECT_TRUE(mailbox.empty());
}

}  // namespace
}  // namespace mie::test
