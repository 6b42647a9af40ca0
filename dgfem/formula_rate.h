// The rate of change of single elements, worked out on the host in double straight from a system's formulas: slow, and
// independent of every kernel and of the texts they are generated from. What variants of a stage are checked with.
#pragma once

#include <functional>
#include <map>

#include "dgfem/discretization.h"
#include "rtcg/array/formula_tree.h"

namespace rtcg::dgfem {

class FormulaRate {
 public:
  explicit FormulaRate(std::shared_ptr<const Discretization> mesh);

  /// [node][field] of a straight element without faces at the boundary (UsageError otherwise). `fields_of` gives the
  /// state of that element and of its neighbours, [node][field].
  std::vector<double> operator()(std::size_t element,
                                 const std::function<std::vector<double>(std::size_t element)>& fields_of) const;

 private:
  using Names = std::map<std::string, double, std::less<>>;
  struct Named {
    std::string name;
    FormulaTree tree;
  };
  static double value(const FormulaTree& tree, const Names& names);
  void add_region(Names& names, std::size_t region, const std::string& suffix) const;

  std::shared_ptr<const Discretization> mesh_;
  std::vector<Named> volume_let_, let_;
  std::vector<std::vector<FormulaTree>> flux_;               // [d][field]
  std::vector<FormulaTree> penalty_;                         // [field]
  std::vector<std::pair<std::size_t, FormulaTree>> source_;  // fields that have one
};

}  // namespace rtcg::dgfem
