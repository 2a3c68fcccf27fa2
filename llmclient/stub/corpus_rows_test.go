package stub

import (
	"fmt"
	"slices"
	"testing"
)

// The corpus grew from two lists of malformed output, one of a parser of labelled
// lines (46 rows) and one of a parser of JSON blocks (65 rows). These tables say
// which shapes cover which row, so that none is lost when shapes are renamed. A row
// about something that this world lacks has the nearest shape.
var lineParserRows = map[int][]string{
	1: {"text_action_line"}, 2: {"text_action_chinese"}, 3: {"text_action_wide_colon"}, 4: {"text_action_bold"},
	5: {"text_action_prose"}, 6: {"text_action_alone"}, 7: {"text_action_invented"},
	8: {"text_action_next_label", "text_action_lower_label"}, 9: {"text_action_backticks"},
	10: {"text_action_brackets_inside"}, 11: {"text_action_unclosed_line", "text_action_cut", "text_action_unbalanced"},
	12: {"text_action_lines"}, 13: {"text_finish_brackets"}, 14: {"text_finish_colon", "text_finish_wide_colon"},
	15: {"text_finish_line"}, 16: {"text_finish_lower"}, 17: {"text_prose_only"}, 18: {"text_blank", "items_empty"},
	19: {"arguments_clean"}, 20: {"arguments_stray_bracket"}, 21: {"arguments_list_of_one", "arguments_list_of_two"},
	22: {"arguments_prose_after", "arguments_second_action", "text_object_then_action"}, 23: {"arguments_prose_before"},
	24: {"arguments_string", "arguments_word", "text_action_bare_value"}, 25: {"arguments_string", "text_action_bare_value"},
	26: {"text_action_bare_of_several"}, 27: {"arguments_fenced", "arguments_fenced_plain"}, 28: {"arguments_trailing_comma"},
	29: {"arguments_unquoted_keys"}, 30: {"arguments_doubled_braces", "arguments_tripled_braces"},
	31: {"arguments_quote_tokens", "text_call_quote_tokens"}, 32: {"arguments_python_literals", "arguments_single_quotes"},
	33: {"arguments_truncated", "text_truncated"},
	34: {"arguments_null", "arguments_number", "arguments_string", "arguments_boolean", "arguments_list"},
	35: {"arguments_empty", "items_empty_arguments"}, 36: {"items_arguments_object"}, 37: {"arguments_double_encoded"},
	38: {"arguments_duplicate_key", "arguments_duplicate_key_deep"},
	39: {"text_amount_huge", "text_amount_digits", "text_infinity", "text_not_a_number", "arguments_not_a_number"},
	40: {"text_plan_then_decision", "arguments_two_objects"},
	41: {"text_decision_wrapped", "text_wrapper_result", "text_wrapper_tool_call", "text_wrapper_function", "text_wrapper_output"},
	42: {"text_json_in_string", "text_decision_encoded"}, 43: {"text_plan_without_type", "text_draft_without_type", "text_reason_alias"},
	44: {"arguments_list_in_text", "text_plan_actions_string"},
	45: {"arguments_byte_order_mark", "arguments_zero_width", "arguments_line_breaks", "arguments_typographic"},
	46: {"text_markup_in_value"},
}

var blockParserRows = map[int][]string{
	1: {"text_call_then_decision"}, 2: {"text_calls_over_budget"}, 3: {"text_whole_turn"},
	4: {"text_two_decisions", "text_two_decisions_ruled"}, 5: {"text_decision_fenced"}, 6: {"text_decision_prose"}, 7: {"text_draft"},
	8: {"text_until_bars"}, 9: {"text_until_no_threshold"}, 10: {"text_until_wait"}, 11: {"text_amount_runaway"},
	12: {"text_amount_zero", "text_factory_by_kind"}, 13: {"text_factory_suffix"}, 14: {"text_module_spelling", "text_module_alias"},
	15: {"arguments_word"}, 16: {"arguments_empty", "items_empty_arguments"}, 17: {"items_text_without_annotations"},
	18: {"text_factory_by_kind"}, 19: {"text_factory_suffix"}, 20: {"text_factory_by_kind"}, 21: {"text_invented_place"},
	22: {"text_move_to_here"}, 23: {"text_refine_too_little"}, 24: {"text_plan"}, 25: {"text_order_unknown"},
	26: {"text_confidence_beyond"}, 27: {"text_build_with_id"}, 28: {"text_module_early"}, 29: {"text_prose_only", "text_decision"},
	30: {"text_unknown_field"}, 31: {"text_foreign_party"}, 32: {"text_name_idle"}, 33: {"text_decision_wrapped"},
	34: {"text_decision_type"}, 35: {"text_until_type"}, 36: {"text_action_as_type", "text_action_object", "text_action_as_call"},
	37: {"text_amount_string", "text_amount_decimal", "text_amount_exponent"}, 38: {"text_amount_negative"},
	39: {"text_amount_huge", "text_amount_digits"}, 40: {"text_plan_actions_string", "text_plan_missing_null"},
	41: {"text_until_any_of", "text_until_any_of_null"}, 42: {"text_until_name", "text_until_names", "text_until_events"},
	43: {"text_until_empty", "text_until_missing"}, 44: {"text_until_unknown_beside"}, 45: {"text_confidence_word"},
	46: {"text_draft_action"}, 47: {"text_call_list_of_one", "text_list_of_two"}, 48: {"text_call_bracket_first"},
	49: {"text_call_stray_brace"}, 50: {"text_truncated", "text_truncated_list"},
	51: {"text_trailing_comma", "text_python", "text_comment", "text_not_a_number"}, 52: {"text_call_double_encoded"},
	53: {"text_call_thinking", "text_unfinished_thinking"},
	54: {"text_syntax_tool_call", "text_syntax_function", "text_syntax_parameters", "text_syntax_unknown_name"},
	55: {"text_module_arguments_string", "text_call_arguments_string"}, 56: {"items_number_in_string", "items_number_out_of_range"},
	57: {"items_invented_module", "text_module_invented"},
	58: {"text_name_alias", "text_name_camel", "text_name_hyphen", "text_name_idle", "text_name_chinese"},
	59: {"text_target_by_name", "text_field_alias", "text_both_aliases"}, 60: {"items_text_beside_call"}, 61: {"items_several_calls"},
	62: {"items_refusal", "items_empty", "items_cut_at_limit"}, 63: {"text_call_byte_order_mark", "text_call_wide"},
	64: {"text_duplicate_decision"}, 65: {"text_placeholder", "text_placeholder_id"},
}

// TestEveryRowHasItsShape looks up each row of both lists.
func TestEveryRowHasItsShape(t *testing.T) {
	var names []string
	for _, s := range Corpus() {
		names = append(names, s.Name)
	}
	for _, list := range []struct {
		name string
		rows map[int][]string
		last int
	}{{"labelled lines", lineParserRows, 46}, {"JSON blocks", blockParserRows, 65}} {
		for row := range list.last {
			t.Run(fmt.Sprintf("%s/%d", list.name, row+1), func(t *testing.T) {
				if len(list.rows[row+1]) == 0 {
					t.Error("the row has no shape")
				}
				for _, name := range list.rows[row+1] {
					if !slices.Contains(names, name) {
						t.Errorf("there is no shape %s", name)
					}
				}
			})
		}
		if len(list.rows) != list.last {
			t.Errorf("%s: %d rows, want %d", list.name, len(list.rows), list.last)
		}
	}
}
