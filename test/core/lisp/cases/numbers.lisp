;; What numbers do at their edges: floats beside integers, infinities, big integers.

;; Numbers
(+) ;=> 0
(*) ;=> 1
(-) ;=> 0
(+ "a") ;=> "a"
(* nil) ;=> nil
(- "a") ;!! type_error
(- 5) ;=> -5
(- 5.5) ;=> -5.5
(- 0) ;=> 0
(/ 4) ;=> 4
(/ 4.0) ;=> 4.0
(/ "a") ;=> "a"
(/ 0 0) ;=> ##NaN
(/ -1 0) ;=> ##-Inf
(/ 1.0 0.0) ;=> ##Inf
(/ 8 2 2) ;=> 2.0
(mod 5 0) ;!! arithmetic_error
(mod 5.5 0) ;!! arithmetic_error
(mod 5 0.0) ;!! arithmetic_error
(quot 5.0 0) ;!! arithmetic_error
(mod ##Inf 2) ;=> ##NaN
(quot ##Inf 2) ;=> ##NaN
(quot 5 ##Inf) ;=> ##NaN
(rem ##NaN 0) ;=> ##NaN
(mod 7.5 -2) ;=> -0.5
(rem -7.5 2) ;=> -1.5
(quot -7.5 2) ;=> -3
(quot 7 2.0) ;=> 3
(mod nil 2) ;!! type_error
(mod "a" 2) ;!! type_error
(floor 1) ;=> 1
(floor -0.5) ;=> -1
(ceil -0.5) ;=> 0
(ceil 2.0) ;=> 2
(round -0.5) ;=> -1
(round 0.5) ;=> 1
(round 1e20) ;=> 100000000000000000000
(round ##NaN) ;=> ##NaN
(ceil ##-Inf) ;=> ##-Inf
(int ##NaN) ;!! arithmetic_error
(int "5") ;!! type_error
(int nil) ;!! type_error
(sqrt 16) ;=> 4.0
(sqrt 2) ;=> 1.4142135624
(sqrt ##Inf) ;=> ##Inf
(sqrt ##-Inf) ;=> ##NaN
(sqrt nil) ;!! type_error
(pow 2 10) ;=> 1024.0
(pow 2 -1) ;=> 0.5
(pow 0 0) ;=> 1.0
(pow ##NaN 0) ;=> 1.0
(pow 1 ##NaN) ;=> 1.0
(pow 1 ##Inf) ;=> 1.0
(pow 0 -1) ;=> ##Inf
(pow 2 10000) ;=> ##Inf
(pow -8 0.5) ;!! arithmetic_error
(pow -8 3) ;=> -512.0
(pow "a" 1) ;!! type_error
(float 3) ;=> 3.0
(double ##NaN) ;=> ##NaN
(double "1") ;!! type_error
(double nil) ;!! type_error
(abs ##-Inf) ;=> ##Inf
(abs -0.0) ;=> 0.0
(abs "a") ;!! type_error
(abs -5.5) ;=> 5.5
(inc 1.5) ;=> 2.5
(dec 0) ;=> -1
(inc ##Inf) ;=> ##Inf
(inc "a") ;!! type_error
(- ##Inf ##Inf) ;=> ##NaN
(* 0 ##Inf) ;=> ##NaN
(/ ##Inf ##Inf) ;=> ##NaN
(/ 5 ##Inf) ;=> 0.0
(+ 1 ##NaN) ;=> ##NaN
(* 1e308 10) ;=> ##Inf
(+ 1 2 3.0) ;=> 6.0
(+ 1 nil) ;!! type_error
(+ 1 2 "a") ;!! type_error
(+ "a" 1) ;!! type_error
(max) ;!! arity_error
(max 1) ;=> 1
(max "a") ;=> "a"
(max nil) ;=> nil
(max [1 2]) ;=> [1 2]
(max 1 2.0) ;=> 2.0
(max 1 1.0) ;=> 1
(max 1.0 1) ;=> 1.0
(min 1 1.0) ;=> 1
(max "a" "b") ;=> "b"
(max 1 ##Inf) ;=> ##Inf
(min ##NaN 1) ;=> ##NaN
(max ##NaN) ;=> ##NaN
(max 1 nil) ;=> nil
(min 1 nil) ;=> 1
(max :a :b) ;=> :b
(= 1 1.0) ;=> true
(= [1 {:a 2}] [1.0 {:a 2.0}]) ;=> true
(= #{1} #{1.0}) ;=> false
(= {1 :a} {1.0 :a}) ;=> false
(= :a "a") ;=> false
(= ##NaN ##NaN) ;=> false
(= ##Inf ##Inf) ;=> true
(= [] nil) ;=> false
(= #{} []) ;=> false
(= nil nil) ;=> true
(= #"a" #"a") ;=> true
(= inc inc) ;=> true
(=) ;!! invalid_arity
(= 1) ;!! invalid_arity
(= 1 2 3) ;!! invalid_arity
(< 1 2 3) ;!! invalid_arity
(not= 1) ;!! invalid_arity
(apply < [1 2 3]) ;!! arity_error
(apply = [1]) ;!! arity_error
(< "a" "b") ;=> true
(< "a" 1) ;!! type_error
(< :a :b) ;!! type_error
(< [1] [2]) ;!! type_error
(< nil nil) ;!! type_error
(< ##NaN 1) ;=> false
(>= ##NaN ##NaN) ;=> false
(< ##-Inf ##Inf) ;=> true
(compare 1 2) ;=> -1
(compare "b" "a") ;=> 1
(compare 1 1.0) ;=> 0
(compare :a :b) ;!! type_error
(compare nil 1) ;!! type_error
(compare [1] [2]) ;!! type_error
(zero? 0) ;=> true
(zero? nil) ;=> false
(zero? ##NaN) ;=> false
(pos? ##Inf) ;=> true
(neg? ##-Inf) ;=> true
(neg? ##NaN) ;=> false
(pos? nil) ;=> false
(even? 0) ;=> true
(even? nil) ;=> false
(odd? "a") ;=> false
(odd? -1) ;=> true
(even? 2.5) ;!! arithmetic_error
(odd? ##Inf) ;!! arithmetic_error
(+ 99999999999999999999 1) ;=> 100000000000000000000
(- 99999999999999999999 99999999999999999998) ;=> 1
(mod -99999999999999999999 10) ;=> 1
(rem -99999999999999999999 10) ;=> -9
(quot 99999999999999999999 10) ;=> 9999999999999999999
(double 99999999999999999999) ;=> 100000000000000000000.0
(= 9007199254740993 9007199254740992.0) ;=> false
(< 9007199254740992 9007199254740993) ;=> true
(str 99999999999999999999) ;=> "99999999999999999999"
(type 99999999999999999999) ;=> :number
(abs -99999999999999999999) ;=> 99999999999999999999
(- 9007199254740992) ;=> -9007199254740992
(even? 99999999999999999999) ;=> false
(* 1.5 2) ;=> 3.0
(int -1.5) ;=> -1
(int 5) ;=> 5
(trunc -1.5) ;=> -1
(round 2) ;=> 2

;; Everyday arithmetic
(+ 19.99 5) ;=> 24.99
(- 100 25 30) ;=> 45
(* 3 4.5) ;=> 13.5
(/ 100 8) ;=> 12.5
(/ 1 3) ;=> 0.3333333333
(* 1.0 (/ 9 3)) ;=> 3.0
(quot 17 5) ;=> 3
(rem 17 5) ;=> 2
(rem -17 5) ;=> -2
(mod -17 5) ;=> 3
(mod 17 -5) ;=> -3
(round 2.5) ;=> 3
(round -2.4) ;=> -2
(floor -2.1) ;=> -3
(ceil 2.1) ;=> 3
(trunc 2.9) ;=> 2
(int 7.99) ;=> 7
(/ (round (* 100 3.14159)) 100) ;=> 3.14
(* 100 (/ 3 8)) ;=> 37.5
(int (* 100 (/ 1 3))) ;=> 33
(let [net 80 vat 0.25] (* net (+ 1 vat))) ;=> 100.0
(- (* 2 3) (/ 4 2)) ;=> 4.0
(reduce * (range 1 11)) ;=> 3628800
(* 123456789 987654321) ;=> 121932631112635269
(- -9223372036854775808 1) ;=> -9223372036854775809
(type (/ 4 2)) ;=> :number
(= 2 (/ 4 2)) ;=> true
(str (/ 4 2)) ;=> "2.0"
(int (/ 4 2)) ;=> 2
(abs (- 3 10)) ;=> 7
(sqrt 144) ;=> 12.0
(pow 2 0.5) ;=> 1.4142135624
(int (pow 3 4)) ;=> 81
(double 3) ;=> 3.0
(max 2 7 5) ;=> 7
(min 2.5 7 5) ;=> 2.5
(avg [80 90 100]) ;=> 90.0
(+ (parse-long "12") (parse-double "0.5")) ;=> 12.5
(inc 99999999999999999999) ;=> 100000000000000000000
(* 0.1 3) ;=> 0.3
(str (* 0.1 3)) ;=> "0.30000000000000004"
(= 0.75 (/ 3 4)) ;=> true
(quot 1e3 7) ;=> 142
(mod 10.5 3) ;=> 1.5
(sum (map #(* (first %) (second %)) [[2 3] [4 5]])) ;=> 26
(map #(mod % 3) (range -3 4)) ;=> [0 1 2 0 1 2 0]
(let [cents 123456] (str (quot cents 100) "." (mod cents 100))) ;=> "1234.56"
(let [s 3725] [(quot s 3600) (quot (mod s 3600) 60) (mod s 60)]) ;=> [1 2 5]
(let [celsius 25] (+ 32 (* celsius (/ 9 5)))) ;=> 77.0
(let [p 1000 rate 0.5 years 3] (* p (pow (+ 1 rate) years))) ;=> 3375.0
(let [xs [2 4 6]] (/ (reduce + xs) (count xs))) ;=> 4.0
(reduce (fn [n d] (+ (* 10 n) d)) 0 [2 0 3 1]) ;=> 2031
(sum (map parse-long (split "2031" ""))) ;=> 6
