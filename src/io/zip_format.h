// The layout of a zip archive's records: signatures, sizes in bytes, positions of fields. Private to io.
// Source: PKWARE APPNOTE 6.3.10, sections 4.3.7 to 4.3.16 and 4.5.3.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scorevi::io::zip {

inline constexpr std::uint32_t kLocalSignature = 0x04034B50;
inline constexpr std::uint32_t kCentralSignature = 0x02014B50;
inline constexpr std::uint32_t kEndSignature = 0x06054B50;
inline constexpr std::uint32_t kEnd64Signature = 0x06064B50;
inline constexpr std::uint32_t kLocator64Signature = 0x07064B50;

inline constexpr std::size_t kLocalBytes = 30;  // without name and extra field
inline constexpr std::size_t kCentralBytes = 46;
inline constexpr std::size_t kEndBytes = 22;  // without the comment
inline constexpr std::size_t kEnd64Bytes = 56;
inline constexpr std::size_t kLocator64Bytes = 20;
inline constexpr std::size_t kMaxCommentBytes = 0xFFFF;

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

// Bits 0, 6 and 13 of the flags: encrypted, strongly encrypted, masked headers.
inline constexpr std::uint16_t kEncryptionFlags = 0x2041;
inline constexpr std::uint16_t kUtf8Flag = 0x0800;

// A field of this value has its true value in the ZIP64 extra field (or end record).
inline constexpr std::uint16_t kIn64Short = 0xFFFF;
inline constexpr std::uint32_t kIn64 = 0xFFFFFFFF;
inline constexpr std::uint16_t kExtra64 = 0x0001;

inline constexpr std::uint16_t kVersion = 20;    // needed to extract: deflate and folders
inline constexpr std::uint16_t kVersion64 = 45;  // ZIP64

}  // namespace scorevi::io::zip
