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

;; Reckoning with time
(.getTime (java.util.Date. "1970-01-02")) ;=> 86400000
(let [ms (fn [s] (.getTime (java.util.Date. s)))] (- (ms "2031-03-02") (ms "2031-03-01"))) ;=> 86400000
(let [ms (fn [s] (.getTime (java.util.Date. s)))] (quot (- (ms "2031-03-01") (ms "2031-02-01")) 86400000)) ;=> 28
(let [ms (fn [s] (.getTime (java.util.Date. s)))] (quot (- (ms "2032-03-01") (ms "2032-02-01")) 86400000)) ;=> 29
(java.util.Date. (+ (.getTime (java.util.Date. "2031-12-31")) 86400000)) ;=> "2032-01-01T00:00:00Z"
(java.util.Date. "2031-05-04T23:30:00-01:00") ;=> "2031-05-05T00:30:00Z"
(subs (str (java.util.Date. "2031-05-04T23:30:00-01:00")) 0 10) ;=> "2031-05-05"
(> (java.util.Date. "2031-05-04") (java.util.Date. "2031-05-03")) ;=> true
(sort [(LocalDate/parse "2031-05-04") (LocalDate/parse "2030-12-31")]) ;=> ["2030-12-31" "2031-05-04"]
(sort-by :on [{:on (LocalDate/parse "2031-02-01")} {:on (LocalDate/parse "2031-01-01")}]) ;=> [{:on "2031-01-01"} {:on "2031-02-01"}]
(max-by :at [{:id 1 :at (java.util.Date. 5)} {:id 2 :at (java.util.Date. 9)}]) ;=> {:at "1970-01-01T00:00:09Z" :id 2}
(type (LocalDate/parse "2031-05-04")) ;=> :date
(str "due " (LocalDate/parse "2031-05-04")) ;=> "due 2031-05-04"
(= "2031-05-04" (LocalDate/parse "2031-05-04")) ;=> false
(= "2031-05-04" (str (LocalDate/parse "2031-05-04"))) ;=> true
(LocalDate/parse "2031-13-01") ;!! type_error
(LocalDate/parse "04.05.2031") ;!! type_error
(java.time.LocalDate/parse "2031-05-04") ;=> "2031-05-04"
(java.util.Date. "not a date") ;!! type_error
(java.util.Date. nil) ;!! type_error
(java.util.Date.) ;=> "1970-01-01T00:00:01Z"
(- (System/currentTimeMillis) (System/currentTimeMillis)) ;=> 0
(.getTime (LocalDate/parse "2031-05-04")) ;!! type_error
(+ (java.util.Date. 0) 1) ;!! type_error
(contains? #{(LocalDate/parse "2031-05-04")} (LocalDate/parse "2031-05-04")) ;=> true
(frequencies (map #(subs % 0 7) ["2031-03-01" "2031-03-09" "2031-04-01"])) ;=> {"2031-03" 2 "2031-04" 1}
(let [day (fn [s] (quot (.getTime (java.util.Date. s)) 86400000)) names ["thu" "fri" "sat" "sun" "mon" "tue" "wed"]] (nth names (mod (day "2031-05-04") 7))) ;=> "sun"
(filter #(< "2031-03-01" (:placed %) "2031-03-05") data/orders) ;!! invalid_arity
(map :id (filter #(and (> (:placed %) "2031-03-01") (< (:placed %) "2031-03-05")) data/orders)) ;=> [102 103 104]
(let [days (fn [a b] (quot (- (.getTime (java.util.Date. b)) (.getTime (java.util.Date. a))) 86400000))]
  (map (fn [{:keys [id placed]}] [id (days placed "2031-03-10")]) data/orders))
;=> [[101 9] [102 8] [103 8] [104 6] [105 5]]
(let [today (java.util.Date. "2031-03-10")
      overdue? (fn [{:keys [due paid]}] (and (not paid) (< (java.util.Date. due) today)))]
  (map :no (filter overdue? [{:no 1 :due "2031-03-09"} {:no 2 :due "2031-03-10"} {:no 3 :due "2031-01-01" :paid true}])))
;=> [1]
(let [week (fn [s] (quot (quot (.getTime (java.util.Date. s)) 86400000) 7))]
  (vals (update-vals (group-by week ["2031-03-01" "2031-03-02" "2031-03-09"]) count)))
;=> [2 1]
(let [start (.getTime (java.util.Date. "2031-02-27"))]
  (map (fn [i] (subs (str (java.util.Date. (+ start (* i 86400000)))) 0 10)) (range 4)))
;=> ["2031-02-27" "2031-02-28" "2031-03-01" "2031-03-02"]
(let [minutes (fn [s] (let [[_ h m] (re-matches #"(\d+):(\d\d)" s)] (+ (* 60 (parse-long h)) (parse-long m))))
      spans [["9:15" "10:00"] ["13:00" "14:30"]]
      total (reduce + (map (fn [[a b]] (- (minutes b) (minutes a))) spans))]
  (str (quot total 60) "h " (mod total 60) "m"))
;=> "2h 15m"
