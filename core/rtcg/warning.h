// Where a library says something that is not an error: the cache cannot write, a default was taken for want of tuning.
// Libraries never print; an application sets the handler (apps/common/application.cpp does). Without one, silence.
#pragma once

#include <functional>
#include <string>

namespace rtcg {

/// May be called from any thread; the handler must stand that too.
void set_warning_handler(std::function<void(const std::string&)> handler);
void warn(const std::string& message);

}  // namespace rtcg
