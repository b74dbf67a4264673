/**
 * The words of jq's own messages. A message may quote any input, a credential among it, so what is not one of these
 * words is left out: a list of what is safe cannot be led astray by a value that looks like a message.
 */
const WORDS = new Set(
  `null boolean number string array object a an and are as at be because before but by can cannot can't check checked
  containment depth divided divisor does doesn't element elements end ended EOF escaped expected expression extra for
  format formatted found from given grouped has have imploded in index indexed indices input inputs integers invalid
  is it iterate join joined JSON key keys keyed large length limit line literal match matched modified must names
  near negative no not numeric of on only out over parse parsed parsing path paths pattern range regex failure require
  required requires result row scan sequence set shell short slice sliced sort sorted split start starts strings
  subtracted added multiplied remainder support syntax text than the their to too transposed try truncated type unable
  unexpected unfinished unicode unknown unmatched update use using valid value values whether while with zero
  codepoint count column csv tsv base64 base32 data date datetime datetimes bounds both broken deleted delete
  access accessed element's group many match named parenthesis bracket character class empty nothing repeat specified
  target quantifier undefined escape back reference retry-limit-in-match option flag flags modifier implode explode
  ltrimstr rtrimstr trim ltrim rtrim startswith endswith startswith() endswith() ltrimstr() rtrimstr() split() join()
  tojson fromjson tonumber tostring todate fromdate mktime gmtime localtime strftime strptime strflocaltime strftime/1
  strptime/1 strflocaltime/1 gmtime() localtime() mktime system test capture gsub sub splits ascii ascii_downcase
  ascii_upcase tojson utf8bytelength getpath setpath delpaths paths to_entries from_entries with_entries flatten
  range limit first last nth until while repeat input error min max add any all unique unique_by group_by sort_by
  @csv @tsv @html @uri @sh @base64 @base64d @json @text uri html`.split(/\s+/),
);

/** A jq message without the data it quotes: `string … and number … cannot be added`. */
export function withoutData(message: string): string {
  const kept = message.split(/\s+/).map((word) => {
    const bare = word.replace(/^\(/, "").replace(/[),:;.]+$/, "");
    return isSafe(word) || isSafe(bare) ? word : "…";
  });
  return kept.join(" ").replaceAll(/…(?: …)+/g, "…");
}

function isSafe(word: string): boolean {
  return WORDS.has(word) || WORDS.has(word.toLowerCase());
}
