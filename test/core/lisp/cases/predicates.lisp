;; Predicates built by forms.

;; where, all-of, juxt
((where :a) {:a nil}) ;=> false
((where :a) {"a" 1}) ;=> true
((where :a) nil) ;=> false
((where :a) 5) ;=> false
((where :a = nil) {}) ;=> true
((where :a = :x) {"a" "x"}) ;=> true
((where :a = "x") {:a :x}) ;=> true
((where :a = 1.0) {:a 1}) ;=> true
((where :a = true) {:a "true"}) ;=> false
((where :a = ["x"]) {:a [:x]}) ;=> false
((where :a not= 1) {}) ;=> true
((where :a not= nil) {}) ;=> false
((where :a > 1) {:a 2}) ;=> true
((where :a > 1) {:a "x"}) ;=> false
((where :a > 1) {}) ;=> false
((where :a < nil) {:a 1}) ;=> false
((where :a > "a") {:a "b"}) ;=> true
((where :a > "a") {:a :b}) ;=> true
((where :a >= 1) {:a 1.0}) ;=> true
((where :a in [1 2]) {:a 1}) ;=> true
((where :a in #{:x}) {:a "x"}) ;=> true
((where :a in ["x"]) {:a :x}) ;=> true
((where :a in [1]) {:a 1.0}) ;=> true
((where :a in [nil]) {}) ;=> false
((where :a in "abc") {:a "a"}) ;=> false
((where :a in {:a 1}) {:a :a}) ;=> false
((where :a includes 1) {:a [1]}) ;=> true
((where :a includes "x") {:a [:x]}) ;=> true
((where :a includes "b") {:a "abc"}) ;=> true
((where :a includes :b) {:a "abc"}) ;=> true
((where :a includes 1) {:a 1}) ;=> false
((where :a includes nil) {:a [nil]}) ;=> true
((where :a includes 1) {}) ;=> false
((where :a includes "") {:a "abc"}) ;=> true
((where [:a :b] = 1) {:a {"b" 1}}) ;=> true
((where [:a "b"] = 1) {"a" {:b 1}}) ;=> true
((where [:a :b]) {:a nil}) ;=> false
(where [:a 0] = 1) ;!! invalid_where_form
(where [] = 1) ;!! invalid_where_form
(where "a" = 1) ;!! invalid_where_form
(where :a "open") ;!! invalid_where_form
(where) ;!! invalid_where_form
(where :a = 1 2) ;!! invalid_where_form
(where :a like 1) ;!! invalid_where_operator
(where :a "=" 1) ;!! invalid_where_operator
(where :a + 1) ;!! invalid_where_operator
(where a = 1) ;!! invalid_where_form
((where :a = 1)) ;!! arity_error
((where :a = 1) {} {}) ;!! arity_error
((all-of) 1) ;=> true
((any-of) 1) ;=> false
((none-of) 1) ;=> true
((all-of odd? pos?) 3) ;=> true
((any-of :a :b) {:b 1}) ;=> true
((none-of :a :b) {:c 1}) ;=> true
((all-of (where :a > 1) (where :b = 2)) {:a 2 :b 2}) ;=> true
((all-of #(> % 1) #{2 3}) 2) ;=> true
(all-of 5) ;=> #<fn>
((all-of 5) 1) ;!! not_callable
((juxt) 1) ;=> []
((juxt inc dec :a) 1) ;=> [2 0 nil]
((juxt :a :b) {:a 1 "b" 2}) ;=> [1 2]
((juxt inc) 1 2) ;!! arity_error
((juxt + -) 1 2) ;!! arity_error
(map (juxt identity inc) [1 2]) ;=> [[1 2] [2 3]]
(sort-by (juxt :a :b) > [{:a 1 :b 1} {:a 1 :b 2}]) ;=> [{:a 1 :b 2} {:a 1 :b 1}]
(apply juxt [inc dec]) ;!! unbound_var
(filter (where :n in (range 3)) [{:n 1} {:n 5}]) ;=> [{:n 1}]
(count (filter (none-of (where :a)) [{:a 1} {}])) ;=> 1
(map #(apply max %) [[1 2] [3]]) ;=> [2 3]
(apply all-of [odd?]) ;!! unbound_var
