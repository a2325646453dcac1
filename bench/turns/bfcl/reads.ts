/**
 * Tools of the suite that change nothing. The suite does not say it, so they are listed here; each call of one is compared with the state
 * before and after it, hidden state such as that of a random generator included. What is not listed counts as a write: a look at the
 * speed draws a random number, and asking a flight's price remembers it.
 */
export const READS: ReadonlySet<string> = new Set([
  ...["ls", "pwd", "cat", "find", "wc", "sort", "grep", "du", "tail", "diff"],
  ...["logarithm", "mean", "standard_deviation", "si_unit_conversion", "imperial_si_conversion", "add", "subtract"],
  ...["multiply", "divide", "power", "square_root", "absolute_value", "round_number", "percentage"],
  ...["min_value", "max_value", "sum_values"],
  ...["list_users", "get_user_id", "message_get_login_status", "view_messages_sent", "search_messages"],
  ...["posting_get_login_status", "list_all_following", "get_tweet", "get_user_tweets", "search_tweets"],
  ...["get_tweet_comments", "get_user_stats", "get_ticket", "ticket_get_login_status", "get_user_tickets"],
  ...["get_current_time", "get_symbol_by_name", "get_stock_info", "get_order_details", "get_account_info"],
  ...["trading_get_login_status", "get_watchlist", "get_order_history", "get_available_stocks"],
  ...["travel_get_login_status", "get_credit_card_balance", "list_all_airports", "compute_exchange_rate"],
  ...["verify_traveler_information", "get_nearest_airport_by_city", "retrieve_invoice", "get_booking_history"],
  ...["estimate_drive_feasibility_by_mileage", "liter_to_gallon", "gallon_to_liter", "estimate_distance"],
  ...["get_zipcode_based_on_city", "check_tire_pressure", "find_nearest_tire_shop"],
]);
