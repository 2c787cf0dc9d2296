#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "reelhouse/predicate/exact_number.h"
#include "reelhouse/predicate/predicate_node.h"

namespace reelhouse {

/// The values of an IN list, in order and hashed for lookup. Safe to read from several threads.
class LiteralSet {
 public:
  /// Numbers are looked up in units of 10^-`scale`; those that do not lie on that grid equal no cell.
  LiteralSet(std::vector<Literal> values, int32_t scale);
  LiteralSet(const LiteralSet&) = delete;
  LiteralSet& operator=(const LiteralSet&) = delete;

  const std::vector<Literal>& values() const { return values_; }  ///< ascending, each once
  int32_t scale() const { return scale_; }
  bool Contains(bool value) const { return value ? has_true_ : has_false_; }
  bool Contains(Int128 units) const { return numbers_.Contains(units); }
  bool Contains(double value) const { return doubles_.Contains(value + 0.0); }  // -0 is 0
  bool Contains(std::string_view bytes) const { return texts_.Contains(bytes); }

 private:
  /// An open-addressing hash set, at most half full.
  template <class Key>
  class Slots {
   public:
    void Reserve(size_t count) {
      size_t size = 16;
      while (size < 2 * count) size *= 2;
      keys_.resize(size);
      is_used_.resize(size);
    }
    void Insert(const Key& key) {
      const size_t at = Find(key);
      keys_[at] = key;
      is_used_[at] = 1;
    }
    bool Contains(const Key& key) const { return !keys_.empty() && is_used_[Find(key)]; }

   private:
    /// The slot of `key`, or the empty one where it would go.
    size_t Find(const Key& key) const {
      const size_t mask = keys_.size() - 1;
      size_t at = Hash(key) & mask;
      while (is_used_[at] && keys_[at] != key) at = (at + 1) & mask;
      return at;
    }

    std::vector<Key> keys_;
    std::vector<uint8_t> is_used_;
  };

  static uint64_t Mixed(uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15;
    return bits ^ (bits >> 32);
  }
  static uint64_t Hash(Int128 key) { return Mixed(static_cast<uint64_t>(key) + 31 * static_cast<uint64_t>(key >> 64)); }
  static uint64_t Hash(double key) {
    uint64_t bits;
    std::memcpy(&bits, &key, sizeof(bits));
    return Mixed(bits);
  }
  static uint64_t Hash(std::string_view key) { return std::hash<std::string_view>()(key); }

  std::vector<Literal> values_;
  int32_t scale_;
  bool has_true_ = false;
  bool has_false_ = false;
  Slots<Int128> numbers_;
  Slots<double> doubles_;
  Slots<std::string_view> texts_;  // look into values_
};

}  // namespace reelhouse
