// Writes the number of its row to each element: row r is elements starts_[r] ... starts_[r + 1] - 1. A team of items
// takes a row on a GPU, an item a chunk of rows on a CPU.
kernel void row_of_each(global const {{ type }}* restrict starts_, const ulong rows_, const ulong n_,
                        global {{ type }}* restrict y_) {
{% if cpu %}
  const ulong chunk_ = (rows_ + get_num_groups(0) - 1) / get_num_groups(0);
  const ulong first_ = get_group_id(0) * chunk_, last_ = min(first_ + chunk_, rows_);
  for (ulong row_ = first_; row_ < last_; ++row_) {
    const ulong end_ = min((ulong)starts_[row_ + 1], n_);
    for (ulong i = min((ulong)starts_[row_], n_); i < end_; ++i) y_[i] = ({{ type }})row_;
  }
{% else %}
  const ulong row_ = get_global_id(0) / {{ team }};
  if (row_ >= rows_) return;
  const ulong end_ = min((ulong)starts_[row_ + 1], n_);
  for (ulong i = min((ulong)starts_[row_], n_) + get_global_id(0) % {{ team }}; i < end_; i += {{ team }})
    y_[i] = ({{ type }})row_;
{% endif %}
}
