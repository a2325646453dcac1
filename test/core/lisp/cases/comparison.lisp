;; Equality, order and truth.

;; Truth
(map boolean [nil false true 0 "" [] {} #{} ##NaN :false]) ;=> [false false true true true true true true true true]
(if "" "yes" "no") ;=> "yes"
(if (seq []) "some" "none") ;=> "none"
(if (not-empty "") 1 2) ;=> 2
(not (not nil)) ;=> false
(not 0) ;=> false
(map not [[] nil "false"]) ;=> [false true false]
(filter identity [0 nil "" false []]) ;=> [0 "" []]
(remove identity [0 nil "" false []]) ;=> [nil false]
(and 1 nil 2) ;=> nil
(and 1 2 3) ;=> 3
(and) ;=> true
(and false (inc nil)) ;=> false
(or nil false 3 4) ;=> 3
(or) ;=> nil
(or 1 (inc nil)) ;=> 1
(or (:missing {}) "default") ;=> "default"
(and (map? {}) (empty? {}) :empty-map) ;=> :empty-map
(or (and nil 1) (and 2 3)) ;=> 3

;; Equality
(= "abc" "abc") ;=> true
(= [1 [2 {:a #{3}}]] [1 [2 {:a #{3}}]]) ;=> true
(= {:a 1 :b 2} {:b 2 :a 1}) ;=> true
(= #{1 2 3} #{3 2 1}) ;=> true
(= [1 2] [2 1]) ;=> false
(= [1 2] #{1 2}) ;=> false
(= {} []) ;=> false
(= "" nil) ;=> false
(= 0 -0.0) ;=> true
(= \a "a") ;=> true
(= [] (rest [1])) ;=> true
(= nil (next [1])) ;=> true
(= (fn [x] x) (fn [x] x)) ;=> false
(let [f (fn [x] x)] (= f f)) ;=> true
(= ##Inf (/ 1 0)) ;=> true
(= [##NaN] [##NaN]) ;=> false
(not= 1 2) ;=> true
(not= :a :a) ;=> false
(not= [1 2.0] [1.0 2]) ;=> false
(= 0.3 (+ 0.1 0.2)) ;=> false
(= "é" "e") ;=> false
(= "A" "a") ;=> false
(= (downcase "MIXED") (downcase "mixed")) ;=> true
(= {:a nil} {}) ;=> false
(= (java.util.Date. 1) (java.util.Date. "1970-01-01T00:00:01Z")) ;=> true
(= (java.util.Date. "2031-01-01T02:00:00+02:00") (java.util.Date. "2031-01-01")) ;=> true
(count (distinct [1 1.0 "1" :1])) ;=> 4
(contains? #{[1 2]} [1 2]) ;=> true
(get {1 :int 1.0 :float} 1.0) ;=> :float
(get {[1 2] :pair} [1 2]) ;=> :pair

;; Order
(< 1 2) ;=> true
(> 1 1) ;=> false
(>= 1 1.0) ;=> true
(<= 2 1) ;=> false
(< 0.1 1/2) ;!! invalid_arity
(< "apple" "banana") ;=> true
(< "Zebra" "apple") ;=> true
(< "a" "ab") ;=> true
(>= "b" "b") ;=> true
(< "10" "9") ;=> true
(< 10 "9") ;!! type_error
(> true false) ;!! type_error
(< {:a 1} {:a 2}) ;!! type_error
(< (LocalDate/parse "2031-01-31") (LocalDate/parse "2031-02-01")) ;=> true
(> (java.util.Date. 2) (java.util.Date. 1)) ;=> true
(< (LocalDate/parse "2031-01-31") (java.util.Date. 1)) ;!! type_error
(< (LocalDate/parse "2031-01-31") "2031-02-01") ;!! type_error
(compare "a" "b") ;=> -1
(compare 2 2.0) ;=> 0
(compare 10 9.5) ;=> 1
(compare ##NaN 1) ;!! type_error
(compare (LocalDate/parse "2031-01-02") (LocalDate/parse "2031-01-01")) ;=> 1
(compare "" nil) ;!! type_error
(and (<= 1 5) (< 5 10)) ;=> true
(max 3 1.5 2) ;=> 3
(min 3 1.5 2) ;=> 1.5
(max "pear" "fig") ;=> "pear"
(max 1 ##NaN 3) ;=> ##NaN
(max (LocalDate/parse "2031-01-02") (LocalDate/parse "2031-01-01")) ;=> "2031-01-02"
(sort [nil 2 :k "s" [1] {:m 1} #{4} false 1.5]) ;=> [1.5 2 false :k nil {:m 1} #{4} [1] "s"]
(sort ["b" "B" "a" "á" ""]) ;=> ["" "B" "a" "b" "á"]
(sort [[2 1] [1 9] [1] []]) ;=> [[] [1] [1 9] [2 1]]
(sort [{:b 1} {:a 2} {:a 1}]) ;=> [{:a 1} {:a 2} {:b 1}]
(sort [##NaN 1 ##Inf ##-Inf]) ;=> [##-Inf 1 ##Inf ##NaN]
(sort [(java.util.Date. 5) (LocalDate/parse "2031-01-01") #"a" inc]) ;=> [#<builtin> #"a" "2031-01-01" "1970-01-01T00:00:05Z"]
(zero? 0.0) ;=> true
(zero? "0") ;=> false
(pos? 0) ;=> false
(neg? -0.1) ;=> true
(even? -4) ;=> true
(odd? 7) ;=> true
(pos? "5") ;=> false
(filter pos? [-1 0 1 nil "2" 2.5]) ;=> [1 2.5]
