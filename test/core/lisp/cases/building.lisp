;; Collections made of others.

;; Building
(conj [1]) ;=> [1]
(conj 5) ;=> 5
(conj nil) ;=> nil
(conj) ;!! arity_error
(conj nil 1 2) ;=> [1 2]
(conj [1] nil) ;=> [1 nil]
(conj {:a 1} nil) ;!! type_error
(conj {:a 1} [:b 2 3]) ;!! type_error
(conj {:a 1} {:b 2}) ;=> {:a 1 :b 2}
(conj "abc" "d") ;!! type_error
(conj 5 1) ;!! type_error
(concat) ;=> []
(concat [1] [2] [3]) ;=> [1 2 3]
(concat nil) ;=> nil
(concat nil nil) ;=> []
(concat "ab") ;=> "ab"
(concat #{1} [2]) ;=> [1 2]
(concat {:a 1} []) ;=> [[:a 1]]
(concat "ab" "cd") ;!! type_error
(concat 5 [1]) ;!! type_error
(into [] {:a 1}) ;=> [[:a 1]]
(into [] #{1}) ;=> [1]
(into [1] nil) ;=> [1]
(into {} {:a 1}) ;=> {:a 1}
(into {} nil) ;=> {}
(into {:a 1} [[:a 2]]) ;=> {:a 2}
(into {} [[1 2 3]]) ;!! type_error
(into {} [{:a 1}]) ;=> {:a 1}
(into #{} [1 2]) ;=> #{1 2}
(into [] "ab") ;=> ["a" "b"]
(into #{} "ab") ;=> #{"a" "b"}
(into {} "ab") ;!! type_error
(into nil [1]) ;=> [1]
(into "a" [1]) ;!! type_error
(into [] 5) ;!! type_error
(vec nil) ;=> nil
(vec "ab") ;=> ["a" "b"]
(vec #{1}) ;=> [1]
(vec 5) ;!! type_error
(vector) ;=> []
(vector 1 nil) ;=> [1 nil]
(set [1 1 2]) ;=> #{1 2}
(set #{1}) ;=> #{1}
(set nil) ;=> #{}
(set "aab") ;=> #{"a" "b"}
(set {:a 1}) ;=> #{[:a 1]}
(set 5) ;!! type_error
(count []) ;=> 0
(count nil) ;=> 0
(count 5) ;!! type_error
(count :a) ;!! type_error
(count #{1 1}) ;=> 1
(intersection #{1 2}) ;=> #{1 2}
(intersection) ;!! arity_error
(intersection #{1 2} #{2} #{2 3}) ;=> #{2}
(intersection [1]) ;!! type_error
(intersection #{1} [1]) ;!! type_error
(difference #{1}) ;=> #{1}
(difference) ;!! arity_error
(union #{1}) ;=> #{1}
(union [1]) ;!! type_error
(union nil #{1}) ;=> #{1}
(frequencies [1 1.0 1]) ;=> {1 2 1.0 1}
(frequencies "aba") ;=> {"a" 2 "b" 1}
(frequencies nil) ;=> {}
(frequencies #{1}) ;=> {1 1}
(frequencies {:a 1}) ;=> {[:a 1] 1}
(frequencies 5) ;!! type_error
(group-by odd? nil) ;=> {}
(group-by odd? []) ;=> {}
(group-by first {:a 1 :b 2}) ;=> {:a [[:a 1]] :b [[:b 2]]}
(group-by odd? #{1}) ;=> {true [1]}
(group-by identity "aab") ;=> {"a" ["a" "a"] "b" ["b"]}
(distinct-by odd? nil) ;=> []
(distinct-by odd? [1 2 3]) ;=> [1 2]
(distinct-by first ["ab" "ac"]) ;=> ["ab"]
(distinct-by :a #{{:a 1}}) ;=> [{:a 1}]
