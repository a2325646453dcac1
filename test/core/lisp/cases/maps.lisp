;; Maps, functions on functions, types.

;; Maps
(assoc {:a 1}) ;=> {:a 1}
(assoc {} :a 1 :b 2) ;=> {:a 1 :b 2}
(assoc {:a 1} :b) ;!! arity_error
(assoc [1] 0 9) ;=> [9]
(assoc [1] -1 9) ;!! type_error
(assoc [1] 1.0 9) ;!! type_error
(assoc [1] :a 9) ;!! type_error
(assoc #{1} 1 1) ;!! type_error
(assoc "a" 0 "b") ;!! type_error
(assoc nil :a 1) ;=> {:a 1}
(assoc {} nil 1) ;=> {nil 1}
(assoc {} [1 2] 1) ;=> {[1 2] 1}
(assoc-in {} [:a] 1) ;=> {:a 1}
(assoc-in nil [:a :b] 1) ;=> {:a {:b 1}}
(assoc-in {:a [1 2]} [:a 0] 9) ;=> {:a [9 2]}
(assoc-in {:a [1 2]} [:a 2] 9) ;=> {:a [1 2 9]}
(assoc-in {:a [1 2]} [:a 3] 9) ;!! type_error
(assoc-in {:a 1} [:a :b] 2) ;!! type_error
(assoc-in {:a 1} [] 2) ;=> 2
(assoc-in {:a 1} :a 2) ;!! type_error
(assoc-in {} [:a 0] 2) ;=> {:a {0 2}}
(assoc-in 5 [:a] 2) ;!! type_error
(update {:a 1} :a inc) ;=> {:a 2}
(update {:a 1} :b (fnil inc 0)) ;=> {:a 1 :b 1}
(update {:a 1} :a + 1 2) ;=> {:a 4}
(update {} :a identity) ;=> {:a nil}
(update nil :a (fnil inc 0)) ;=> {:a 1}
(update [1 2] 0 inc) ;=> [2 2]
(update [1 2] 2 identity) ;!! type_error
(update [1 2] -1 inc) ;!! type_error
(update {:a 1} :a) ;!! arity_error
(update {:a 1} :a :k) ;=> {:a nil}
(update {:a {:k 1}} :a :k) ;=> {:a 1}
(update {:a nil} :a inc) ;!! type_error
(update "a" 0 identity) ;!! type_error
(update #{1} 1 inc) ;!! type_error
(update {:a 1} :a 5) ;!! type_error
(update-in {:a {:b 1}} [:a :b] + 5) ;=> {:a {:b 6}}
(update-in {} [:a :b] (fnil inc 0)) ;=> {:a {:b 1}}
(update-in nil [:a] (fnil inc 0)) ;=> {:a 1}
(update-in {:a 1} [] (fn [m] 5)) ;=> 5
(update-in {:a [1]} [:a 5] identity) ;!! type_error
(update-in {:a 1} [:a :b] identity) ;!! type_error
(update-in [[1]] [0 0] inc) ;=> [[2]]
(update-in [1] [1] identity) ;!! type_error
(update-vals {:a 1} inc) ;=> {:a 2}
(update-vals nil inc) ;=> nil
(update-vals inc {:a 1}) ;!! type_error
(update-vals [1] inc) ;!! type_error
(update-vals {} inc) ;=> {}
(update-vals {:a {:n 1}} :n) ;=> {:a 1}
(->> {:a 1} (update-vals inc)) ;!! type_error
(dissoc {:a 1 :b 2} :a) ;=> {:b 2}
(dissoc {:a 1}) ;=> {:a 1}
(dissoc {:a 1} :z) ;=> {:a 1}
(dissoc nil :a) ;=> nil
(dissoc [1] 0) ;!! type_error
(dissoc #{1} 1) ;!! type_error
(merge) ;=> {}
(merge nil) ;=> {}
(merge nil nil) ;=> {}
(merge {:a {:x 1}} {:a {:y 2}}) ;=> {:a {:y 2}}
(merge {:a 1} [[:b 2]]) ;!! type_error
(merge #{1}) ;!! type_error
(keys {}) ;=> []
(keys nil) ;=> []
(vals nil) ;=> []
(entries nil) ;=> []
(keys [1]) ;!! type_error
(keys {:b 1 "a" 2 1 3 nil 4}) ;=> [1 :b nil "a"]
(vals {:b 1 :a 2}) ;=> [2 1]
(entries {:b 1 :a 2}) ;=> [[:a 2] [:b 1]]
(key [1 2]) ;=> 1
(val [1 2]) ;=> 2
(key nil) ;!! type_error
(key [1 2 3]) ;!! type_error
(map key {:a 1}) ;=> [:a]
(map val {:a 1}) ;=> [1]
(key (first (seq {:a 1}))) ;=> :a

;; Functions
(identity nil) ;=> nil
((fnil inc 0) nil) ;=> 1
((fnil + 0) nil 5) ;=> 5
((fnil conj []) nil 1 2) ;=> [1 2]
((fnil (fn [x] x) 7) nil) ;=> 7
((fnil (fn [x] x) 7) false) ;=> false
((fnil :k {:k 1}) nil) ;=> 1
((fnil inc 0)) ;!! arity_error
(fnil 5 0) ;!! type_error
(fnil inc) ;!! arity_error
(fnil inc 0 1) ;!! arity_error
(apply + [1 2]) ;=> 3
(apply + []) ;=> 0
(apply + nil) ;!! type_error
(apply + #{1 2}) ;=> 3
(apply merge [{:a 1} {:b 2}]) ;=> {:a 1 :b 2}
(apply str ["a" "b"]) ;=> "ab"
(apply str "ab") ;!! type_error
(apply vector {:a 1}) ;=> [[:a 1]]
(apply +) ;!! invalid_arity
(apply (fn [a b] [a b]) 1 [2]) ;=> [1 2]
(apply :a [{:a 1}]) ;=> 1
(apply {:a 1} [:a]) ;=> 1
(apply 5 [1]) ;!! type_error
(apply max []) ;!! arity_error
(apply if [1]) ;!! unbound_var
(map not [nil false 0]) ;=> [true true false]
(boolean nil) ;=> false
(boolean "") ;=> true
(not) ;!! arity_error

;; Types
(map type [nil true 1 1.5 ##NaN "a" :a [] {} #{} inc (fn [x] x) println apply #"a" (where :a) (juxt inc)]) ;=> [nil :boolean :number :number :number :string :keyword :vector :map :set :function :function :function :function :regex :function :function]
(type (def x 1)) ;=> :var
(type (java.util.Date. 0)) ;=> :date-time
(type (LocalDate/parse "2031-01-01")) ;=> :date
(map? (java.util.Date. 0)) ;=> false
(char? "ab") ;=> false
(char? "") ;=> false
(char? nil) ;=> false
(char? \a) ;=> true
(char? 5) ;=> false
(seq? []) ;=> true
(seq? {}) ;=> false
(sequential? "a") ;=> false
(coll? "a") ;=> false
(coll? nil) ;=> false
(some? false) ;=> true
(number? ##NaN) ;=> true
(number? "1") ;=> false
(boolean? nil) ;=> false
(regex? "a") ;=> false
(keyword? "a") ;=> false
(nil?) ;!! arity_error
(set? #{}) ;=> true
