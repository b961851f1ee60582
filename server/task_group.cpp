#include "server/task_group.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace mie {

void TaskGroup::Supervisor::operator()(const std::exception_ptr& failure) const {
  if (failure) log_failure(name_, failure);
}

void log_failure(const std::string& task, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    if (error.code() != boost::asio::error::operation_aborted)
      logger("http")->error("task={} failed=\"{}\"", task, error.what());
  } catch (const std::exception& error) {
    logger("http")->error("task={} failed=\"{}\"", task, error.what());
  } catch (...) {
    logger("http")->error("task={} failed=\"unknown exception\"", task);
  }
}

}  // namespace mie
