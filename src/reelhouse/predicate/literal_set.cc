#include "reelhouse/predicate/literal_set.h"

#include <algorithm>
#include <utility>

namespace reelhouse {

LiteralSet::LiteralSet(std::vector<Literal> values, int32_t scale) : values_(std::move(values)), scale_(scale) {
  std::sort(values_.begin(), values_.end(),
            [](const Literal& a, const Literal& b) { return CompareLiterals(a, b) < 0; });
  const auto equal = [](const Literal& a, const Literal& b) { return CompareLiterals(a, b) == 0; };
  values_.erase(std::unique(values_.begin(), values_.end(), equal), values_.end());

  if (values_.empty()) return;
  switch (values_.front().index()) {
    case 0:
      for (const Literal& value : values_) (std::get<bool>(value) ? has_true_ : has_false_) = true;
      break;
    case 1:
      numbers_.Reserve(values_.size());
      for (const Literal& value : values_) {
        const GridPosition position = PlaceOnGrid(std::get<ExactNumber>(value), scale);
        if (position.place == GridPosition::Place::kOn) numbers_.Insert(position.floor);
      }
      break;
    case 2:
      doubles_.Reserve(values_.size());
      for (const Literal& value : values_) doubles_.Insert(std::get<double>(value));
      break;
    default:
      texts_.Reserve(values_.size());
      for (const Literal& value : values_) texts_.Insert(std::get<std::string>(value));
  }
}

}  // namespace reelhouse
