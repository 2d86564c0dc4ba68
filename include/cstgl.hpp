// cstgl for C++17: cstgl.h with types that clean up, spans, and errors as exceptions or as values.
//
//     cstgl::config config(samples, views);
//     config.clusters = 3;
//     cstgl::session<float> session(config);                     // owns its memory; or borrows yours
//     session.push(0, shape, features, samples, cstgl::by_sample);
//     session.push(1, colour, features, samples, cstgl::by_sample);
//     session.run();
//     std::vector<std::uint32_t> labels = session.labels();
//
// Every call comes twice, as in std::filesystem. Without an error argument it throws cstgl::exception. With a cstgl_error
// as its last argument it throws nothing and returns the status; without exceptions (-fno-exceptions) only those exist.
// Rules of memory, threads and order are those of cstgl.h.
#ifndef CSTGL_HPP
#define CSTGL_HPP

#include "cstgl.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__cpp_exceptions)
#include <stdexcept>
#define CSTGL_EXCEPTIONS 1
#endif

namespace cstgl {

/// A pointer and a length, from anything that has data() and size(): std::vector, std::array, std::span.
template <class T>
class span {
public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N>
    constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    template <class Container, class = std::enable_if_t<std::is_convertible_v<
                                   decltype(std::declval<Container &>().data()), T *>>>
    constexpr span(Container &&container) noexcept : data_(container.data()), size_(container.size()) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

#ifdef CSTGL_EXCEPTIONS
/// A refused call: what() is the message, error() all of it.
class exception : public std::runtime_error {
public:
    explicit exception(const cstgl_error &error) : std::runtime_error(error.message), error_(error) {}
    const cstgl_error &error() const noexcept { return error_; }
    cstgl_status status() const noexcept { return error_.status; }

private:
    cstgl_error error_;
};
#endif

/// What a row of a block is.
enum order : std::uint32_t { by_feature = CSTGL_BY_FEATURE, by_sample = CSTGL_BY_SAMPLE };

/// A configuration with the defaults in it; its fields are those of cstgl_config.
struct config : cstgl_config {
    config() noexcept : cstgl_config() { cstgl_config_init(static_cast<cstgl_config *>(this)); }
    config(std::uint64_t n, std::uint64_t m) noexcept : config() {
        samples = n;
        views = m;
    }
    /// Sets the choices of a CSTGL_PROFILE_...
    cstgl_status set_profile(std::uint32_t profile, cstgl_error &error) noexcept {
        return cstgl_config_profile(this, profile, &error);
    }
#ifdef CSTGL_EXCEPTIONS
    config &set_profile(std::uint32_t profile) {
        cstgl_error error;
        if (set_profile(profile, error) != CSTGL_OK) throw exception(error);
        return *this;
    }
#endif
};

namespace detail {

/// The functions of a type of number.
template <class T>
struct api;

#define CSTGL_API(type, suffix)                                            \
    template <>                                                            \
    struct api<type> {                                                     \
        using handle = cstgl_##suffix;                                     \
        static constexpr auto layout = &cstgl_layout_##suffix;             \
        static constexpr auto init = &cstgl_init_##suffix;                 \
        static constexpr auto attach = &cstgl_attach_##suffix;             \
        static constexpr auto get_config = &cstgl_get_config_##suffix;     \
        static constexpr auto push = &cstgl_push_##suffix;                 \
        static constexpr auto push_strided = &cstgl_push_strided_##suffix; \
        static constexpr auto push_csr = &cstgl_push_csr_##suffix;         \
        static constexpr auto push_gram = &cstgl_push_gram_##suffix;       \
        static constexpr auto push_distances = &cstgl_push_distances_##suffix;       \
        static constexpr auto push_similarities = &cstgl_push_similarities_##suffix; \
        static constexpr auto step = &cstgl_step_##suffix;                 \
        static constexpr auto run = &cstgl_run_##suffix;                   \
        static constexpr auto iteration = &cstgl_iteration_##suffix;       \
        static constexpr auto record = &cstgl_record_##suffix;             \
        static constexpr auto cluster = &cstgl_cluster_##suffix;           \
        static constexpr auto consistent = &cstgl_consistent_##suffix;     \
        static constexpr auto specific = &cstgl_specific_##suffix;         \
        static constexpr auto noise = &cstgl_noise_##suffix;               \
        static constexpr auto fused = &cstgl_fused_##suffix;               \
        static constexpr auto affinity = &cstgl_affinity_##suffix;         \
        static constexpr auto slice_distances = &cstgl_slice_distances_##suffix;     \
    };
CSTGL_API(float, f32)
CSTGL_API(double, f64)
#undef CSTGL_API

/// What the library says of a wrong length, for those that only a span knows.
inline cstgl_status wrong_length(cstgl_error &error, const char *message, std::uint64_t needed,
                                 std::uint64_t given) noexcept {
    error = cstgl_error();
    error.status = CSTGL_ERROR_LENGTH;
    error.view = error.feature = error.sample = error.index = CSTGL_NONE;
    error.needed = needed;
    error.given = given;
    for (std::size_t k = 0; message[k] != 0; ++k) error.message[k] = message[k];
    return error.status;
}

struct release {
    void operator()(void *memory) const noexcept { std::free(memory); }
};

} // namespace detail

/// Bytes and alignment of a run.
template <class T>
cstgl_status layout(const cstgl_config &config, cstgl_layout &need, cstgl_error &error) noexcept {
    return detail::api<T>::layout(&config, &need, &error);
}

/// A run. It moves but does not copy.
template <class T>
class session {
    using api = detail::api<T>;
    using handle = typename api::handle;

public:
    /// No run; open() begins one.
    session() noexcept = default;
    session(session &&other) noexcept
        : owned_(std::move(other.owned_)), handle_(std::exchange(other.handle_, nullptr)) {}
    session &operator=(session &&other) noexcept {
        owned_ = std::move(other.owned_);
        handle_ = std::exchange(other.handle_, nullptr);
        return *this;
    }

    /// Begins a run in memory of its own. CSTGL_ERROR_MEMORY: there is not so much.
    cstgl_status open(const cstgl_config &config, cstgl_error &error) noexcept {
        cstgl_layout need;
        if (cstgl_status status = layout<T>(config, need, error)) return status;
        std::unique_ptr<void, detail::release> memory(std::malloc(need.bytes));
        // Without memory the call below refuses, and says so.
        handle *begun = nullptr;
        cstgl_status status = api::init(memory.get(), memory ? need.bytes : 0, &config, &begun, &error);
        if (status != CSTGL_OK) return status;
        owned_ = std::move(memory);
        handle_ = begun;
        return status;
    }

    /// Begins a run in the caller's memory, which must outlive it.
    cstgl_status open(const cstgl_config &config, void *memory, std::size_t bytes, cstgl_error &error) noexcept {
        handle *begun = nullptr;
        cstgl_status status = api::init(memory, bytes, &config, &begun, &error);
        if (status != CSTGL_OK) return status;
        owned_.reset();
        handle_ = begun;
        return status;
    }

    /// Goes on with a run in memory that holds one, such as a copy; the memory must outlive it.
    cstgl_status attach(void *memory, std::size_t bytes, cstgl_error &error) noexcept {
        handle *found = nullptr;
        cstgl_status status = api::attach(memory, bytes, &found, &error);
        if (status != CSTGL_OK) return status;
        owned_.reset();
        handle_ = found;
        return status;
    }

    /// The C handle, NULL where there is no run.
    handle *get() const noexcept { return handle_; }

    cstgl_status push(std::size_t view, span<const T> block, std::size_t features, std::size_t samples, order rows,
                      cstgl_error &error) noexcept {
        // The block is as long as its shape says, or the strided call finds out.
        std::size_t feature_stride = rows == by_feature ? samples : 1;
        std::size_t sample_stride = rows == by_feature ? 1 : features;
        return api::push_strided(handle_, view, block.data(), block.size(), features, samples, feature_stride,
                                 sample_stride, &error);
    }
    cstgl_status push_csr(std::size_t view, span<const std::size_t> pointers, span<const std::uint32_t> indices,
                          span<const T> values, std::size_t features, std::size_t samples, order rows,
                          cstgl_error &error) noexcept {
        std::size_t count = rows == by_feature ? features : samples;
        if (pointers.size() != count + 1)
            return detail::wrong_length(error, "pointers: wrong length", count + 1, pointers.size());
        if (indices.size() != values.size())
            return detail::wrong_length(error, "indices: wrong length", values.size(), indices.size());
        return api::push_csr(handle_, view, pointers.data(), indices.data(), values.data(), values.size(), features,
                             samples, rows, &error);
    }
    cstgl_status push_gram(std::size_t view, const T *matrix, std::size_t samples, cstgl_error &error) noexcept {
        return api::push_gram(handle_, view, matrix, samples, &error);
    }
    cstgl_status push_distances(std::size_t view, const T *matrix, std::size_t samples, cstgl_error &error) noexcept {
        return api::push_distances(handle_, view, matrix, samples, &error);
    }
    cstgl_status push_similarities(std::size_t view, const T *matrix, std::size_t samples,
                                   cstgl_error &error) noexcept {
        return api::push_similarities(handle_, view, matrix, samples, &error);
    }
    cstgl_status step(cstgl_info &info, cstgl_error &error) noexcept { return api::step(handle_, &info, &error); }

    /// Runs. `progress`, if any, is called with every cstgl_record and returns true to stop; it must not throw.
    template <class Progress>
    cstgl_status run(Progress &&progress, cstgl_info &info, cstgl_error &error) noexcept {
        auto call = [](const cstgl_record *record, void *user) -> std::int32_t {
            return (*static_cast<std::remove_reference_t<Progress> *>(user))(*record) ? 1 : 0;
        };
        return api::run(handle_, call, const_cast<void *>(static_cast<const void *>(std::addressof(progress))), &info,
                        &error);
    }
    cstgl_status run(cstgl_info &info, cstgl_error &error) noexcept {
        return api::run(handle_, nullptr, nullptr, &info, &error);
    }
    cstgl_status iteration(std::uint64_t &steps, cstgl_error &error) noexcept {
        return api::iteration(handle_, &steps, &error);
    }
    cstgl_status record(std::size_t index, cstgl_record &record, cstgl_error &error) noexcept {
        return api::record(handle_, index, &record, &error);
    }
    cstgl_status get_config(cstgl_config &config, cstgl_error &error) noexcept {
        return api::get_config(handle_, &config, &error);
    }
    cstgl_status cluster(span<std::uint32_t> labels, cstgl_clustering &found, cstgl_error &error,
                         std::uint32_t parts = CSTGL_PARTS_DEFAULT, span<T> embedding = {}) noexcept {
        return api::cluster(handle_, parts, labels.data(), labels.size(), embedding.data(), embedding.size(), &found,
                            &error);
    }
    cstgl_status consistent(std::size_t view, span<T> matrix, cstgl_error &error) noexcept {
        return api::consistent(handle_, view, matrix.data(), matrix.size(), &error);
    }
    cstgl_status specific(std::size_t view, span<T> matrix, cstgl_error &error) noexcept {
        return api::specific(handle_, view, matrix.data(), matrix.size(), &error);
    }
    cstgl_status noise(std::size_t view, span<T> matrix, cstgl_error &error) noexcept {
        return api::noise(handle_, view, matrix.data(), matrix.size(), &error);
    }
    cstgl_status fused(std::uint32_t parts, span<T> matrix, cstgl_error &error) noexcept {
        return api::fused(handle_, parts, matrix.data(), matrix.size(), &error);
    }
    cstgl_status affinity(std::uint32_t parts, span<T> matrix, cstgl_error &error) noexcept {
        return api::affinity(handle_, parts, matrix.data(), matrix.size(), &error);
    }
    cstgl_status slice_distances(span<T> matrix, cstgl_error &error) noexcept {
        return api::slice_distances(handle_, matrix.data(), matrix.size(), &error);
    }

#ifdef CSTGL_EXCEPTIONS
    explicit session(const cstgl_config &config) {
        call([&](cstgl_error &error) { return open(config, error); });
    }
    session(const cstgl_config &config, void *memory, std::size_t bytes) {
        call([&](cstgl_error &error) { return open(config, memory, bytes, error); });
    }
    void push(std::size_t view, span<const T> block, std::size_t features, std::size_t samples, order rows) {
        call([&](cstgl_error &error) { return push(view, block, features, samples, rows, error); });
    }
    void push_csr(std::size_t view, span<const std::size_t> pointers, span<const std::uint32_t> indices,
                  span<const T> values, std::size_t features, std::size_t samples, order rows) {
        call([&](cstgl_error &error) {
            return push_csr(view, pointers, indices, values, features, samples, rows, error);
        });
    }
    void push_gram(std::size_t view, const T *matrix, std::size_t samples) {
        call([&](cstgl_error &error) { return push_gram(view, matrix, samples, error); });
    }
    void push_distances(std::size_t view, const T *matrix, std::size_t samples) {
        call([&](cstgl_error &error) { return push_distances(view, matrix, samples, error); });
    }
    void push_similarities(std::size_t view, const T *matrix, std::size_t samples) {
        call([&](cstgl_error &error) { return push_similarities(view, matrix, samples, error); });
    }
    cstgl_info step() {
        cstgl_info info;
        call([&](cstgl_error &error) { return step(info, error); });
        return info;
    }
    cstgl_info run() {
        cstgl_info info;
        call([&](cstgl_error &error) { return run(info, error); });
        return info;
    }
    template <class Progress>
    cstgl_info run(Progress &&progress) {
        cstgl_info info;
        call([&](cstgl_error &error) { return run(progress, info, error); });
        return info;
    }
    /// The record of every step so far.
    std::vector<cstgl_record> trace() {
        std::uint64_t steps = 0;
        call([&](cstgl_error &error) { return iteration(steps, error); });
        std::vector<cstgl_record> records(static_cast<std::size_t>(steps));
        for (std::size_t k = 0; k < records.size(); ++k)
            call([&](cstgl_error &error) { return record(k, records[k], error); });
        return records;
    }
    config settings() {
        config out;
        call([&](cstgl_error &error) { return get_config(out, error); });
        return out;
    }
    std::vector<std::uint32_t> labels(std::uint32_t parts = CSTGL_PARTS_DEFAULT) {
        std::vector<std::uint32_t> out(samples());
        cstgl_clustering found;
        call([&](cstgl_error &error) { return cluster(out, found, error, parts); });
        return out;
    }
    std::vector<T> consistent(std::size_t view) {
        return matrix([&](span<T> out, cstgl_error &error) { return consistent(view, out, error); });
    }
    std::vector<T> specific(std::size_t view) {
        return matrix([&](span<T> out, cstgl_error &error) { return specific(view, out, error); });
    }
    std::vector<T> noise(std::size_t view) {
        return matrix([&](span<T> out, cstgl_error &error) { return noise(view, out, error); });
    }
    std::vector<T> affinity(std::uint32_t parts = CSTGL_PARTS_DEFAULT) {
        return matrix([&](span<T> out, cstgl_error &error) { return affinity(parts, out, error); });
    }

private:
    template <class Call>
    static void call(Call &&made) {
        cstgl_error error;
        if (made(error) != CSTGL_OK) throw exception(error);
    }
    std::size_t samples() { return static_cast<std::size_t>(settings().samples); }
    template <class Read>
    std::vector<T> matrix(Read &&read) {
        std::size_t n = samples();
        std::vector<T> out(n * n);
        call([&](cstgl_error &error) { return read(out, error); });
        return out;
    }
#endif

private:
    std::unique_ptr<void, detail::release> owned_;
    handle *handle_ = nullptr;
};

} // namespace cstgl

#endif
