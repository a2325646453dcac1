;; Dates, and the names of other namespaces.

;; Time and namespaces
(java.util.Date. 1700000000) ;=> "2023-11-14T22:13:20Z"
(java.util.Date. 1700000000000) ;=> "2023-11-14T22:13:20Z"
(java.util.Date. 999999999999) ;=> "+033658-09-27T01:46:39Z"
(java.util.Date. -5) ;=> "1969-12-31T23:59:55Z"
(java.util.Date. 1.5) ;!! type_error
(java.util.Date. "2031-05-04") ;=> "2031-05-04T00:00:00Z"
(java.util.Date. "2031-05-04T10:00:00Z") ;=> "2031-05-04T10:00:00Z"
(java.util.Date. "2031-05-04T10:00:00.123456Z") ;=> "2031-05-04T10:00:00.123Z"
(java.util.Date. "2031-05-04T10:00:00") ;!! type_error
(java.util.Date. "2031-05-04 10:00:00Z") ;=> "2031-05-04T10:00:00Z"
(java.util.Date. "3 Jun 2031 07:05:00 +0000") ;=> "2031-06-03T07:05:00Z"
(java.util.Date. "Tue, 3 Jun 2031 07:05:00 GMT") ;=> "2031-06-03T07:05:00Z"
(java.util.Date. :a) ;!! type_error
(java.util.Date. 1 2) ;!! arity_error
(.getTime (java.util.Date. "1970-01-01T00:00:01Z")) ;=> 1000
(.getTime 5) ;!! type_error
(.getTime "x") ;!! type_error
(.getTime) ;!! arity_error
(.getTime (java.util.Date.) 1) ;!! arity_error
(LocalDate/parse "2031-05-04") ;=> "2031-05-04"
(LocalDate/parse "2031-02-29") ;!! type_error
(LocalDate/parse "2032-02-29") ;=> "2032-02-29"
(LocalDate/parse "0001-01-01") ;=> "0001-01-01"
(java.util.Date. "0050-01-01") ;=> "0050-01-01T00:00:00Z"
(LocalDate/parse "2031-05-04T00:00:00Z") ;!! type_error
(LocalDate/parse 5) ;!! type_error
(LocalDate/parse "") ;!! type_error
(LocalDate/parse) ;!! arity_error
(LocalDate/now) ;!! invalid_form
(= (LocalDate/parse "2031-05-04") (LocalDate/parse "2031-05-04")) ;=> true
(= (java.util.Date. 5) (java.util.Date. 5)) ;=> true
(= (java.util.Date. "2031-05-04") (LocalDate/parse "2031-05-04")) ;=> false
(.indexOf "hello" "l") ;=> 2
(.indexOf "hello" "z") ;=> -1
(.indexOf "hello" "l" 3) ;=> 3
(.indexOf "hello" "l" -3) ;=> 2
(.indexOf "hello" "") ;=> 0
(.indexOf "hello" "" 9) ;=> 5
(.indexOf "hello" 1) ;!! type_error
(.indexOf nil "a") ;!! type_error
(.indexOf "hello") ;!! arity_error
(.indexOf [1 2] 1) ;!! type_error
(.lastIndexOf "hello" "l") ;=> 3
(.lastIndexOf "hello" "") ;=> 5
(.lastIndexOf "hello" "z") ;=> -1
(.lastIndexOf "hello" "l" 2) ;!! arity_error
(.trim "a") ;!! unbound_var
(.length "a") ;!! unbound_var
(. "a" trim) ;!! invalid_form
(.getTime nil) ;!! type_error
Double/POSITIVE_INFINITY ;=> ##Inf
Double/NaN ;=> ##NaN
POSITIVE_INFINITY ;=> ##Inf
NEGATIVE_INFINITY ;=> ##-Inf
NaN ;=> ##NaN
Double/MAX_VALUE ;!! invalid_form
(Double/parseDouble "1.5") ;!! invalid_form
(Integer/parseInt "5") ;!! invalid_form
(Long/parseLong "5") ;!! invalid_form
(Math/abs -5) ;=> 5
(Math/sqrt 4) ;=> 2.0
(Math/pow 2 3) ;=> 8.0
(Math/max 1 2) ;=> 2
(Math/floor 1.5) ;=> 1
(Math/round 2.5) ;=> 3
(Math/ceil 1.2) ;=> 2
(Math/random) ;!! invalid_form
(Math/PI) ;!! invalid_form
Math/PI ;!! invalid_form
(System/currentTimeMillis) ;=> 1000
(currentTimeMillis) ;!! unbound_var
(parse "2031-05-04") ;!! unbound_var
(System/nanoTime) ;!! invalid_form
(System/getenv "a") ;!! invalid_form
(str/upcase "a") ;=> "A"
(str/upper-case "a") ;=> "A"
(clojure.string/join "," [1 2]) ;=> "1,2"
(string/trim " a ") ;=> "a"
(clojure.set/union #{1} #{2}) ;=> #{1 2}
(set/union #{1} #{2}) ;=> #{1 2}
(clojure.core/map inc [1]) ;=> [2]
(core/inc 1) ;=> 2
(regex/re-find #"a" "a") ;=> "a"
(str/map inc [1]) ;=> [2]
(map str/upper-case ["a"]) ;=> ["A"]
(clojure.walk/postwalk identity 1) ;!! invalid_form
(walk/postwalk identity 1) ;!! invalid_form
(clojure.core/if true 1 2) ;!! invalid_form
(Interop/parse "2031-05-04") ;!! invalid_form
(java.util.Date/from 1) ;!! invalid_form
(foo/bar 1) ;!! invalid_form
foo/bar ;!! invalid_form
(str/capitalize "a") ;!! invalid_form
(clojure.string/blank? "a") ;!! invalid_form
(clojure.set/subset? #{} #{}) ;!! invalid_form
(clojure.core/partial inc) ;!! invalid_form
(clojure.string/reverse "abc") ;=> ["c" "b" "a"]
(clojure.string/index-of "abc" "b") ;=> 1
(-> "a" str/upper-case) ;=> "A"
(->> ["a"] (map str/upper-case)) ;=> ["A"]
(-> " a " clojure.string/trim str/upper-case) ;=> "A"
(-> 5 Math/abs) ;=> 5
(map Math/abs [-1]) ;=> [1]
(map Double/isNaN [1]) ;!! invalid_form
(NaN? ##NaN) ;!! unbound_var
