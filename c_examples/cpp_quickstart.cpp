// The quickstart in C++17: errors are exceptions, memory cleans up after itself, progress is a lambda.
//
//     c++ -std=c++17 cpp_quickstart.cpp $(pkg-config --cflags --libs cstgl) -o cpp_quickstart && ./cpp_quickstart
#include <cstgl.hpp>

#include <array>
#include <iostream>
#include <vector>

namespace {

constexpr std::size_t samples = 12;
constexpr std::array<std::size_t, 2> features = {6, 9};

// Sample i belongs to class i % 3, whose features are larger than the others: that is all the views know.
float feature(std::size_t view, std::size_t f, std::size_t i) {
    float own = f % 3 == (i + view) % 3 ? 1.0f : 0.0f;
    return own + static_cast<float>((i * 7 + f * 13 + view * 29 + i * f) % 11) / 22.0f;
}

} // namespace

int main() try {
    cstgl::config config(samples, features.size());
    config.clusters = 3;
    cstgl::session<float> session(config);

    for (std::size_t view = 0; view < features.size(); ++view) {
        std::vector<float> block;
        for (std::size_t i = 0; i < samples; ++i)
            for (std::size_t f = 0; f < features[view]; ++f) block.push_back(feature(view, f, i));
        session.push(view, block, features[view], samples, cstgl::by_sample);
    }

    cstgl_info info = session.run([](const cstgl_record &record) {
        std::cerr << "step " << record.iteration << ": change " << record.change << '\n';
        return false; // true would cancel
    });

    const char *separator = "";
    for (std::uint32_t label : session.labels()) {
        std::cout << separator << label;
        separator = " ";
    }
    std::cout << '\n';

    // The same without exceptions: a status, and an error that says where the trouble is.
    cstgl_error error;
    if (session.push(0, std::vector<float>(samples), 1, samples, cstgl::by_feature, error) != CSTGL_OK)
        std::cerr << "as expected after " << info.last.iteration << " steps: " << error.message << '\n';
    return 0;
} catch (const cstgl::exception &refused) {
    std::cerr << "cstgl: " << refused.what() << '\n';
    return 1;
}
