// A fused expression written to its outputs. On a GPU every item computes V elements: one run, a group apart, so that a
// group reads and writes side by side (LoopBody::prefers_runs), or one below the other (walks_down). On a CPU every
// item walks one chunk, row by row where rows matter, which the compiler turns into vectors.
{{ functions }}
kernel void evaluate({{ parameters }}const ulong n_) {
{{ declare_lanes }}
{% if cpu %}
  const index_t chunk_ = (index_t)((n_ + get_num_groups(0) - 1) / get_num_groups(0));
  const index_t first_ = (index_t)get_group_id(0) * chunk_;
  const index_t last_ = (index_t)min((ulong)first_ + chunk_, n_);
{% if row_start != "" %}
  for (index_t next_ = first_; next_ < last_;) {
    const index_t i = next_;
{{ row_start }}
    const stride_t end_ = (stride_t)min((index_t)row_length_, last_ - row_);
    next_ = row_ + (index_t)end_;
    for (; x_ < end_; ++x_) {
      const index_t i = row_ + (index_t)x_;
      const int k = 0;
{{ load_in_row }}
{{ compute }}
{{ keep }}
{{ store_in_row }}
    }
  }
{% else %}
  for (index_t i = first_; i < last_; ++i) {
    const int k = 0;
{{ load_one }}
{{ compute }}
{{ keep }}
{{ store_one }}
  }
{% endif %}
{% elif down_start != "" %}
  const index_t j_ = (index_t)get_global_id(0);
  if (j_ >= n_) return;
{{ down_start }}
  if (rows_ == {{ lanes }}) {
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
{{ load_down }}
    }
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
{{ compute }}
{{ keep }}
    }
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
{{ store_down }}
    }
  } else {
    RTCG_UNROLL({{ lanes - 1 }}) for (int k = 0; k < {{ lanes - 1 }}; ++k) {
      if (k >= rows_) break;
{{ load_down }}
{{ compute }}
{{ keep }}
{{ store_down }}
    }
  }
{% elif runs %}
  const index_t run_ = (index_t)get_global_id(0) * {{ lanes }};
  if ((ulong)run_ + {{ lanes }} <= n_) {
    const index_t i = run_;
{{ load_run }}
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
      const index_t i = run_ + k;
{{ compute }}
{{ keep }}
    }
{{ store_run }}
  } else {
    RTCG_UNROLL(1) for (index_t i = run_; i < n_; ++i) {
      const int k = 0;
{{ load_one }}
{{ compute }}
{{ keep }}
{{ store_one }}
    }
  }
{% else %}
  const index_t start_ = (index_t)get_group_id(0) * {{ lanes * group }} + (index_t)get_local_id(0);
  if ((ulong)start_ + {{ (lanes - 1) * group }} < n_) {
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
      const index_t i = start_ + k * {{ group }};
{{ load_one }}
    }
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
      const index_t i = start_ + k * {{ group }};
{{ compute }}
{{ keep }}
    }
    RTCG_UNROLL({{ lanes }}) for (int k = 0; k < {{ lanes }}; ++k) {
      const index_t i = start_ + k * {{ group }};
{{ store_one }}
    }
  } else {
    RTCG_UNROLL(1) for (index_t i = start_; i < n_; i += {{ group }}) {
      const int k = 0;
{{ load_one }}
{{ compute }}
{{ keep }}
{{ store_one }}
    }
  }
{% endif %}
}
