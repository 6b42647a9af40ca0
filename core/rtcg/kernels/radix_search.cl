{#
  Binary search of many values in one ascending array, in the order that radix_key.cl gives keys.
#}
kernel void search(global const key_t* ascending, long ascending_offset, long length, global const key_t* values, long values_offset, ulong count, global long* places, int after_equal) {
  // Chunks for a few long items; with an item for each value they are one element.
  const ulong items = get_global_size(0), item = get_global_id(0), share = (count + items - 1) / items;
  const ulong end = min((item + 1) * share, count);
  for (ulong i = item * share; i < end; ++i) {
    const key_t value = ordered(values[values_offset + i]);
    long low = 0, high = length;
    while (low < high) {
      const long middle = low + (high - low) / 2;
      const key_t key = ordered(ascending[ascending_offset + middle]);
      if (key < value || (after_equal && key == value))
        low = middle + 1;
      else
        high = middle;
    }
    places[i] = low;
  }
}
