// Repeats recorded launches on memory of exactly the recorded sizes, in both thread orders, and compares
// what they leave with what was recorded: `replay FOLDER COUNT`.
//
// COUNT records of each entry point are chosen, evenly from the smallest to the largest, large ones aside.
// Prints a line for each entry point; the status is 1 when one differs, was never recorded, or was reported
// by ThreadSanitizer. AddressSanitizer and UndefinedBehaviorSanitizer end the program at their first report.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "record.h"

// Called by ThreadSanitizer for each report.
static unsigned reports;
extern "C" void __tsan_on_report(void*) { reports++; }

namespace lane {

namespace {

// Larger records, which take ThreadSanitizer seconds, are left out where there are smaller ones.
constexpr u64 LARGE_BYTES = 2 << 20;

constexpr struct {
    Order order;
    u8 junk;
    const char* name;
} RUNS[] = {{Order::Forward, 0xa5, "forward"}, {Order::Reverse, 0x5a, "reverse"}};

// The recorded buffers on the heap, each a block of its own.
class Memory {
public:
    explicit Memory(const Record& record) : record_(record) {
        for (const Buffer& buffer : record.buffers) {
            // One block for every buffer, also for one without bytes.
            blocks_.push_back(static_cast<u8*>(malloc(buffer.before.size())));
            memcpy(blocks_.back(), buffer.before.data(), buffer.before.size());
        }
        nothing_ = static_cast<u8*>(malloc(0));
    }
    ~Memory() {
        for (u8* block : blocks_) free(block);
        free(nothing_);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    // Where on the heap an argument points. What points to no recorded buffer must not be followed.
    u8* pointer(const RecordedArgument& argument) const {
        if (argument.buffer != RecordedArgument::NO_BUFFER) return blocks_[argument.buffer] + argument.value;
        return argument.value == 0 ? nullptr : nothing_;
    }

    // The argument as a number, also where it looked like a pointer.
    u64 number(const RecordedArgument& argument) const {
        bool is_value = argument.buffer == RecordedArgument::NO_BUFFER;
        return argument.value + (is_value ? 0 : record_.buffers[argument.buffer].address);
    }

    // Whether all buffers are as recorded; prints the first byte of each that is not.
    bool is_as_recorded(const char* order) const {
        bool same = true;
        for (size_t i = 0; i < blocks_.size(); i++) {
            const Buffer& buffer = record_.buffers[i];
            const u8* expected = reinterpret_cast<const u8*>(buffer.after.data());
            size_t at = std::mismatch(expected, expected + buffer.after.size(), blocks_[i]).first - expected;
            if (at == buffer.after.size()) continue;
            same = false;
            fprintf(stderr, "%s, %s order: byte %zu of %zu of `%s` is %02x, recorded was %02x\n",
                    record_.entry.c_str(), order, at, buffer.after.size(), buffer.label.c_str(),
                    blocks_[i][at], expected[at]);
        }
        return same;
    }

private:
    const Record& record_;
    std::vector<u8*> blocks_;
    u8* nothing_;
};

// Whether the record's arguments are of the sizes that the kernel takes.
bool fits(const EntryPoint& entry, const Record& record) {
    auto same_size = [](const RecordedArgument& a, const Argument& b) { return a.bytes == b.bytes; };
    const auto& given = record.arguments;
    return std::equal(given.begin(), given.end(), entry.arguments, entry.arguments + entry.count, same_size);
}

bool replay(const EntryPoint& entry, const std::string& path) {
    const Record record = read_record(path);
    if (!fits(entry, record)) {
        fprintf(stderr, "%s: not the arguments that %s takes\n", path.c_str(), entry.name);
        return false;
    }
    bool same = true;
    for (const auto& run : RUNS) {
        Memory memory(record);
        // Little-endian: a u32 is the first half of its u64.
        std::vector<u64> values;
        for (u32 i = 0; i < entry.count; i++) {
            const RecordedArgument& argument = record.arguments[i];
            values.push_back(entry.arguments[i].is_pointer ? reinterpret_cast<u64>(memory.pointer(argument))
                                                           : memory.number(argument));
        }
        std::vector<void*> arguments;
        for (u64& value : values) arguments.push_back(&value);
        execute({&entry, record.grid, record.block, record.dynamic_shared_bytes, arguments.data()}, run.order,
                run.junk);
        same &= memory.is_as_recorded(run.name);
    }
    if (!same) fprintf(stderr, "the launch is %s\n", path.c_str());
    return same;
}

// Sizes and paths of the records below a folder, by entry point, the smallest first.
using Records = std::map<std::string, std::vector<std::pair<u64, std::string>>>;

Records list(const char* folder) {
    Records records;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
        if (file.path().extension() != ".launch") continue;
        // Named NUMBER-NUMBER-ENTRY.launch.
        std::string name = file.path().stem().string();
        records[name.substr(name.rfind('-') + 1)].emplace_back(file.file_size(), file.path().string());
    }
    for (auto& [name, files] : records) std::sort(files.begin(), files.end());
    return records;
}

bool replay_entry(const EntryPoint& entry, const Records& records, size_t count) {
    auto found = records.find(entry.name);
    if (found == records.end()) {
        printf("%-32s no launch was recorded: no test runs it\n", entry.name);
        return false;
    }
    const auto& files = found->second;
    size_t eligible = 1;
    while (eligible < files.size() && files[eligible].first <= LARGE_BYTES) eligible++;
    size_t chosen = std::min(count, eligible);
    unsigned reports_before = reports;
    bool same = true;
    auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < chosen; i++) {
        same &= replay(entry, files[chosen == 1 ? 0 : i * (eligible - 1) / (chosen - 1)].second);
    }
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    printf("%-32s %3zu of %3zu launches, %6.2f s: %s", entry.name, chosen, files.size(), time.count(),
           same ? "as recorded" : "DIFFERENT");
    if (reports > reports_before) printf(", %u REPORTS", reports - reports_before);
    putchar('\n');
    fflush(stdout);
    return same && reports == reports_before;
}

}  // namespace

}  // namespace lane

int main(int count, char** words) {
    if (count != 3) {
        fprintf(stderr, "usage: replay FOLDER COUNT\n");
        return 2;
    }
    const lane::Records records = lane::list(words[1]);
    size_t chosen = std::max(1l, atol(words[2]));
    std::vector<const lane::EntryPoint*> entries;
    for (auto* entry = lane::EntryPoint::first(); entry; entry = entry->next) entries.push_back(entry);
    std::sort(entries.begin(), entries.end(), [](auto* a, auto* b) { return strcmp(a->name, b->name) < 0; });
    bool all_well = true;
    for (auto* entry : entries) all_well &= lane::replay_entry(*entry, records, chosen);
    printf("%zu kernels: %s\n", entries.size(), all_well ? "in order" : "see above");
    return all_well ? 0 : 1;
}
