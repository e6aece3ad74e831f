#include "record.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace lane {

namespace {

constexpr char MAGIC[] = "EMULNCH1";

// Takes values off the front of a file's content.
class Reader {
public:
    explicit Reader(const std::string& path) : path_(path) {
        std::ifstream file(path, std::ios::binary);
        if (!file) refuse("cannot be read");
        content_.assign(std::istreambuf_iterator<char>(file), {});
    }

    std::string bytes(u64 count) {
        if (count > content_.size() - at_) refuse("ends too early");
        at_ += count;
        return content_.substr(at_ - count, count);
    }

    template <typename T>
    T number() {
        T value;
        memcpy(&value, bytes(sizeof(T)).data(), sizeof(T));
        return value;
    }

    std::string text() { return bytes(number<u32>()); }

    Index index() {
        u32 x = number<u32>(), y = number<u32>();
        return {x, y, number<u32>()};
    }

    bool at_end() const { return at_ == content_.size(); }

    [[noreturn]] void refuse(const char* why) const {
        fprintf(stderr, "%s %s\n", path_.c_str(), why);
        exit(2);
    }

private:
    std::string path_, content_;
    size_t at_ = 0;
};

}  // namespace

Record read_record(const std::string& path) {
    Reader reader(path);
    if (reader.bytes(strlen(MAGIC)) != MAGIC) reader.refuse("is not a recorded launch");
    Record record;
    record.entry = reader.text();
    record.grid = reader.index();
    record.block = reader.index();
    record.dynamic_shared_bytes = reader.number<u32>();
    for (u32 left = reader.number<u32>(); left > 0; left--) {
        RecordedArgument argument;
        argument.bytes = reader.number<u32>();
        argument.buffer = reader.number<u32>();
        argument.value = reader.number<u64>();
        record.arguments.push_back(argument);
    }
    for (u32 left = reader.number<u32>(); left > 0; left--) {
        Buffer buffer;
        buffer.label = reader.text();
        buffer.address = reader.number<u64>();
        u64 size = reader.number<u64>();
        // Which bytes were initialised is the emulator's own affair.
        u64 flags = size / 8 + (size % 8 != 0);
        reader.bytes(flags);
        buffer.before = reader.bytes(size);
        reader.bytes(flags);
        buffer.after = reader.bytes(size);
        record.buffers.push_back(std::move(buffer));
    }
    for (const RecordedArgument& argument : record.arguments) {
        if (argument.buffer == RecordedArgument::NO_BUFFER) continue;
        if (argument.buffer >= record.buffers.size()) reader.refuse("names a buffer that it lacks");
    }
    if (!reader.at_end()) reader.refuse("has bytes after its end");
    return record;
}

}  // namespace lane
