#include "threads/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fastpd {

namespace {

constexpr auto poll_interval = std::chrono::milliseconds(50);

void run_inline(std::size_t n_tasks, Run& run, const std::function<void(const Task&)>& body) {
    for (std::size_t i = 0; i < n_tasks; ++i) {
        body(Task{i, 0, run, true});
        ++run.done;
        run.poll_if_due();
    }
}

}  // namespace

void Run::poll_if_due() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < poll_interval) return;
    last_ = now;
    monitor_.poll(done.load(), total_);
}

void parallel_for(std::size_t n_tasks, int n_jobs, Monitor& monitor,
                  const std::function<void(const Task&)>& body) {
    Run run(n_tasks, monitor);
    const auto n_workers = std::min<std::size_t>(n_tasks, static_cast<std::size_t>(std::max(n_jobs, 1)));
    if (n_workers <= 1) return run_inline(n_tasks, run, body);

    std::mutex mutex;
    std::condition_variable finished;
    std::exception_ptr error;
    std::atomic<std::size_t> next{0};
    std::size_t running = n_workers;

    const auto work = [&](int worker) {
        try {
            for (std::size_t i = next++; i < n_tasks && !run.stop; i = next++) {
                body(Task{i, worker, run, false});
                ++run.done;
            }
        } catch (const Cancelled&) {
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
            run.stop = true;
        }
        const std::lock_guard lock(mutex);
        --running;
        finished.notify_one();
    };

    std::vector<std::thread> workers;
    workers.reserve(n_workers);
    try {
        for (std::size_t w = 0; w < n_workers; ++w) workers.emplace_back(work, static_cast<int>(w));
        std::unique_lock lock(mutex);
        while (running > 0) {
            finished.wait_for(lock, poll_interval);
            if (running == 0) break;
            lock.unlock();
            run.poll_if_due();
            lock.lock();
        }
    } catch (...) {
        run.stop = true;
        for (auto& thread : workers) thread.join();
        throw;
    }
    for (auto& thread : workers) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace fastpd
