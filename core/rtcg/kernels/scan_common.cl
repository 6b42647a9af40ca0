{# The head of every scan kernel: the values, how two of them combine, and, in a segmented scan, the flag that keeps
   values of one segment out of the next. Operands are combined in order only; no step assumes commutativity. #}
#define SCAN_V {{ lanes }}
{{ functions }}
typedef {{ value_type }} scan_value;
static inline scan_value scan_combine(const scan_value a, const scan_value b) {
  return
{{ combine }}
  ;
}
static inline scan_value scan_neutral_value() {
  const scan_value neutral =
{{ neutral }}
  ;
  return neutral;
}
{% if segmented %}
typedef struct {
  scan_value value;
  uint starts;
} scan_item;
static inline scan_item scan_join(const scan_item a, const scan_item b) {
  scan_item c = b;
  if (!b.starts) c.value = scan_combine(a.value, b.value);
  c.starts = a.starts | b.starts;
  return c;
}
static inline scan_item scan_neutral() {
  scan_item neutral;
  neutral.value = scan_neutral_value();
  neutral.starts = 0;
  return neutral;
}
static inline scan_item scan_begin(const scan_value value, const uint starts) {
  scan_item item;
  item.value = value;
  item.starts = starts;
  return item;
}
#define SCAN_VALUE(x) ((x).value)
{% else %}
typedef scan_value scan_item;
#define scan_join(a, b) scan_combine((a), (b))
#define scan_neutral() scan_neutral_value()
#define SCAN_VALUE(x) (x)
{% endif %}
