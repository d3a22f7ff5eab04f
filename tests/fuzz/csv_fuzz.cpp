#include "guard.h"
#include "scorevi/core/check.h"
#include "scorevi/io/csv.h"
#include "scorevi/io/gzip.h"
#include "targets.h"

// A table that is read must be rectangular, and every cell must be in reach.
int fuzz_csv(const std::uint8_t* data, std::size_t size) {
  using namespace scorevi;
  return fuzz::refuse_or_read([&] {
    io::CsvOptions options;
    options.max_bytes = std::size_t{1} << 20;
    const std::string_view bytes = fuzz::view(data, size);
    const bool packed = io::is_gzip(bytes);
    const std::string unpacked = packed ? io::gunzip(bytes, "fuzz", options.max_bytes) : "";
    const io::CsvTable table = io::parse_csv(packed ? unpacked : bytes, "fuzz", options);
    SCOREVI_CHECK(table.rows() > 0 && table.columns() > 0);
    SCOREVI_CHECK(!table.has_header() || table.header().size() == table.columns());
    std::size_t letters = 0;
    for (std::size_t r = 0; r < table.rows(); ++r) {
      for (std::size_t c = 0; c < table.columns(); ++c) letters += table.cell(r, c).size();
    }
    SCOREVI_CHECK_OP(letters, <=, packed ? unpacked.size() : size);
    table.column("-1");
    table.where(table.rows() - 1, table.columns() - 1);
  });
}
