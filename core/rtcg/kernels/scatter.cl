// A fused expression written to computed places. The index counts from the end when it is negative; what lies outside
// is left out.
{{ functions }}
kernel void scatter({{ parameters }}global {{ storage }}* y_, const long size_, const ulong n_) {
{{ declare_lanes }}
{% if cpu %}
  const index_t chunk_ = (index_t)((n_ + get_num_groups(0) - 1) / get_num_groups(0));
  const index_t first_ = (index_t)get_group_id(0) * chunk_;
  const index_t last_ = (index_t)min((ulong)first_ + chunk_, n_);
  for (index_t i = first_; i < last_; ++i) {
    const int k = 0;
{{ load_one }}
{{ compute }}
    const long given_ = (long){{ index }}, at_ = given_ < 0 ? given_ + size_ : given_;
    if ((ulong)at_ < (ulong)size_) {{ write }};
  }
{% else %}
  const index_t run_ = (index_t)get_global_id(0) * {{ lanes }};
  if ((ulong)run_ + {{ lanes }} <= n_) {
    const index_t i = run_;
{{ load_run }}
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
      const index_t i = run_ + k;
{{ compute }}
      const long given_ = (long){{ index }}, at_ = given_ < 0 ? given_ + size_ : given_;
      if ((ulong)at_ < (ulong)size_) {{ write }};
    }
  } else {
    for (index_t i = run_; i < n_; ++i) {
      const int k = 0;
{{ load_one }}
{{ compute }}
      const long given_ = (long){{ index }}, at_ = given_ < 0 ? given_ + size_ : given_;
      if ((ulong)at_ < (ulong)size_) {{ write }};
    }
  }
{% endif %}
}
