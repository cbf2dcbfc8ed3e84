// A small pool that lives for one call: no OpenMP, safe to fork around, interruptible.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>

namespace fastpd {

// Listens to a running call on the thread that made it; `poll` may throw to stop the run.
class Monitor {
public:
    virtual ~Monitor() = default;
    virtual void poll(std::size_t done, std::size_t total) = 0;
};

// Thrown inside workers after another one failed or the monitor stopped the run.
struct Cancelled : std::runtime_error {
    Cancelled() : std::runtime_error("cancelled") {}
};

// Hears of one of several equal parts of the work, and tells how much of the whole that makes.
class PartOf : public Monitor {
public:
    PartOf(Monitor& whole, std::size_t part, std::size_t n_parts) : whole_(whole), part_(part), n_parts_(n_parts) {}
    void poll(std::size_t done, std::size_t total) override { whole_.poll(part_ * total + done, n_parts_ * total); }

private:
    Monitor& whole_;
    std::size_t part_, n_parts_;
};

// What a task may ask of the run that it belongs to.
class Run {
public:
    Run(std::size_t total, Monitor& monitor) : total_(total), monitor_(monitor) {}

    // Long tasks call this often: it throws when the run is to stop.
    void checkpoint(bool on_calling_thread) {
        if (stop.load(std::memory_order_relaxed)) throw Cancelled();
        if (on_calling_thread) poll_if_due();
    }
    void poll_if_due();

    std::atomic<bool> stop{false};
    std::atomic<std::size_t> done{0};

private:
    std::size_t total_;
    Monitor& monitor_;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct Task {
    std::size_t index;
    int worker;            // 0 .. n_jobs - 1, for scratch memory
    Run& run;
    bool on_calling_thread;
    void checkpoint() const { run.checkpoint(on_calling_thread); }
};

// Run `body` for every task index; which worker takes which task never affects a result.
void parallel_for(std::size_t n_tasks, int n_jobs, Monitor& monitor,
                  const std::function<void(const Task&)>& body);

}  // namespace fastpd
