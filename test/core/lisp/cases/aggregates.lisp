;; Sums, means, the least and the greatest.

;; Aggregates
(sum []) ;=> 0
(sum [1 2]) ;=> 3
(sum [1.5 2]) ;=> 3.5
(sum #{1 2}) ;=> 3
(sum {:a 1}) ;!! type_error
(sum "12") ;!! type_error
(sum 5) ;!! type_error
(sum [nil]) ;=> 0
(sum ["1"]) ;!! arithmetic_error
(sum [true]) ;!! arithmetic_error
(avg [1 2 nil]) ;=> 1.5
(avg [2]) ;=> 2.0
(avg nil) ;=> nil
(avg [nil]) ;=> nil
(avg ["a"]) ;!! arithmetic_error
(avg [##NaN]) ;!! arithmetic_error
(sum-by :a [{:a 1} {:a nil} {}]) ;=> 1
(sum-by :a nil) ;=> 0
(sum-by second {:a 1 :b 2}) ;=> 3
(sum-by val {:a 1 :b 2}) ;=> 3
(sum-by :a [{:a "x"}]) ;!! arithmetic_error
(sum-by :a #{{:a 1}}) ;=> 1
(sum-by #(* % 2) [1 2]) ;=> 6
(sum-by :a 5) ;!! type_error
(sum-by 5 [1]) ;!! type_error
(avg-by :a [{:a 1} {:a 2}]) ;=> 1.5
(avg-by :a []) ;=> nil
(min-by :a [{:a 2 :b 1} {:a 2 :b 2}]) ;=> {:a 2 :b 1}
(max-by :a [{:a 2 :b 1} {:a 2 :b 2}]) ;=> {:a 2 :b 1}
(max-by :a []) ;=> nil
(max-by :a nil) ;=> nil
(max-by val {:a 1 :b 2}) ;=> [:b 2]
(max-by :a [{:a nil}]) ;=> nil
(max-by count ["a" "bbb" "cc"]) ;=> "bbb"
(max-by :a) ;!! arity_error
(max-by count "a" "bbb") ;=> "bbb"
(max-by :a {:a 1} {:a 2}) ;=> {:a 2}
(min-by abs -3 2 1) ;=> 1
(min-by abs -3) ;=> -3
(max-by :a {:a 1}) ;=> nil
(max-by identity "abc") ;=> "c"
(max-by :a #{{:a 1} {:a 2}}) ;=> {:a 2}
(min-key abs -3 2) ;=> 2
(max-key count "a" "bb") ;=> "bb"
(max-key count "aa" "bb") ;=> "bb"
(min-key count "aa" "bb") ;=> "bb"
(max-key count [1 2]) ;=> [1 2]
(max-key :a {:a 1} {:a 2}) ;=> {:a 2}
(min-key abs) ;!! arity_error
(max-key (fn [x] (boom)) 5) ;!! unbound_var
(max-key inc "a") ;=> "a"
(apply max-key count ["a" "bb"]) ;=> "bb"
