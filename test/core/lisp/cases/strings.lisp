;; Text: positions are those of characters.

;; Text
(str) ;=> ""
(str nil) ;=> ""
(str true) ;=> "true"
(str 1.5) ;=> "1.5"
(str 2.0) ;=> "2.0"
(str 1e20) ;=> "1.0e20"
(str 1e7) ;=> "10000000.0"
(str 100000.0) ;=> "100000.0"
(str 1234567890.5) ;=> "1234567890.5"
(str 0.0001) ;=> "0.0001"
(str 1e-7) ;=> "1.0e-7"
(str ##Inf ##-Inf ##NaN) ;=> "Infinity-InfinityNaN"
(str :a-b) ;=> ":a-b"
(str [1 "a" nil]) ;=> "[1 \"a\" nil]"
(str #{}) ;=> "#{}"
(str {:a-b 1}) ;=> "{:a-b 1}"
(str "a" 1 :b) ;=> "a1:b"
(str #"a+") ;=> "#\"a+\""
(str inc) ;=> "#<builtin>"
(str (fn [x] x)) ;=> "#fn[x]"
(str (def zz 1)) ;=> "#'zz"
(str [1.0 0.1]) ;=> "[1.0 0.1]"
(str [1e20]) ;=> "[100000000000000000000.0]"
(str [##Inf]) ;=> "[##Inf]"
(str -0.0) ;=> "-0.0"
(str (java.util.Date. 0)) ;=> "1970-01-01T00:00:00Z"
(pr-str) ;=> ""
(pr-str "a\nb\t\"\\") ;=> "\"a\\nb\\t\\\"\\\\\""
(pr-str nil) ;=> "nil"
(pr-str 1.0 :a [] {"b" 1}) ;=> "1.0 :a [] {\"b\" 1}"
(pr-str 1e-12) ;=> "0.0"
(pr-str 0.1) ;=> "0.1"
(pr-str ##NaN) ;=> "##NaN"
(pr-str inc) ;=> "#<builtin>"
(pr-str (fn [a b] a)) ;=> "#fn[a b]"
(pr-str (fn [a & r] a)) ;=> "#fn[a & r]"
(pr-str (fn [{:keys [a]} b] a)) ;=> "#fn[_ b]"
(pr-str #(+ % 1)) ;=> "#fn[p1]"
(pr-str (where :a)) ;=> "#<fn>"
(pr-str {:_x 1 :y 2}) ;=> "{:y 2}"
(pr-str \a) ;=> "\"a\""
(subs "hello" 2) ;=> "llo"
(subs "hello" 2 2) ;=> ""
(subs "hello" -2) ;=> "hello"
(subs "hello" 10) ;=> ""
(subs "hello" 0 -1) ;=> ""
(subs "hello" 1.0) ;!! type_error
(subs 5 1) ;!! type_error
(subs "a" nil) ;!! type_error
(subs "hello" 1 nil) ;!! type_error
(subs "hello") ;!! arity_error
(join ["a" "b"]) ;=> "ab"
(join "," ["a" 1 :k nil 2.0]) ;=> "a,1,:k,,2.0"
(join "," []) ;=> ""
(join "," nil) ;=> ""
(join "," #{1}) ;=> "1"
(join "," "abc") ;=> "a,b,c"
(join "," {:a 1}) ;!! type_error
(join :a [1]) ;!! type_error
(join nil [1]) ;!! type_error
(join ["a"] ",") ;!! type_error
(join "," [[1 2] {:a 1}]) ;=> "[1 2],{:a 1}"
(split "a,b" ",") ;=> ["a" "b"]
(split "" ",") ;=> [""]
(split "" "") ;=> []
(split "abc" "") ;=> ["a" "b" "c"]
(split "a,b,," ",") ;=> ["a" "b" "" ""]
(split ",a" ",") ;=> ["" "a"]
(split "a1b2c" #"\d") ;=> ["a" "b" "c"]
(split "a b" #"\s+") ;=> ["a" "b"]
(split "abc" #"") ;=> ["" "a" "b" "c" ""]
(split nil ",") ;!! type_error
(split "a" nil) ;!! type_error
(split "a" :a) ;!! type_error
(split "aXbX" "X") ;=> ["a" "b" ""]
(split "a--b" "-") ;=> ["a" "" "b"]
(split-lines "a\nb\r\nc") ;=> ["a" "b" "c"]
(split-lines "a\n\nb\n\n") ;=> ["a" "" "b"]
(split-lines "\n") ;=> []
(split-lines nil) ;!! type_error
(split-lines "\na") ;=> ["" "a"]
(trim " \t\na b\r\n") ;=> "a b"
(trim nil) ;!! type_error
(trim 5) ;!! type_error
(trim "") ;=> ""
(trim " x ") ;=> "x"
(replace "aXbX" "X" "-") ;=> "a-b-"
(replace "abc" "" "-") ;=> "-a-b-c-"
(replace "abc" #"[ab]" "x") ;=> "xxc"
(replace "abc" #"(a)(b)" "\\2\\1") ;=> "bac"
(replace "abc" #"(a)(b)" "\\g{2}") ;=> "bc"
(replace "abc" #"b" "[&]") ;=> "a[b]c"
(replace "abc" #"b" "[\\&]") ;=> "a[&]c"
(replace "abc" #"b" "$0") ;=> "a$0c"
(replace "abc" #"(b)" "\\0") ;=> "abc"
(replace "abc" #"(b)" "\\9") ;=> "ac"
(replace "abc" "b" "&") ;=> "a&c"
(replace "abc" "b" nil) ;!! type_error
(replace nil "b" "c") ;!! type_error
(replace "abc" :b "c") ;!! type_error
(replace "a.b" "." "") ;=> "ab"
(replace "aaa" "aa" "b") ;=> "ba"
(upcase "straße") ;=> "STRASSE"
(downcase "ÀÉ") ;=> "àé"
(upper-case "a") ;=> "A"
(lower-case nil) ;!! type_error
(upcase :a) ;!! type_error
(starts-with? "abc" "") ;=> true
(starts-with? "abc" "ab") ;=> true
(starts-with? nil "a") ;!! type_error
(starts-with? "a" nil) ;!! type_error
(ends-with? "abc" "bc") ;=> true
(includes? "abc" "") ;=> true
(includes? "abc" "x") ;=> false
(includes? [1] 1) ;!! type_error
(includes? "abc" :a) ;!! type_error
(index-of "hello" "l") ;=> 2
(index-of "hello" "z") ;=> nil
(index-of "hello" "l" 3) ;=> 3
(index-of "hello" "l" 4) ;=> nil
(index-of "hello" "h" -1) ;=> 0
(index-of "hello" "h" 99) ;=> nil
(index-of "hello" "") ;=> 0
(index-of "hello" "" 2) ;=> 2
(index-of "hello" "" 99) ;=> 5
(index-of "" "") ;=> 0
(index-of "" "a") ;=> nil
(index-of "héllo" "l") ;=> 2
(index-of "hello" "lo") ;=> 3
(index-of nil "l") ;!! type_error
(index-of "a" "a" "b") ;!! type_error
(index-of "a" "a" 1.0) ;!! type_error
(last-index-of "hello" "l") ;=> 3
(last-index-of "hello" "l" 2) ;=> 2
(last-index-of "hello" "l" 1) ;=> nil
(last-index-of "hello" "l" -1) ;=> nil
(last-index-of "hello" "h" 0) ;=> 0
(last-index-of "aaa" "aa") ;=> 1
(last-index-of "hello" "") ;=> 5
(last-index-of "hello" "" 2) ;=> 2
(last-index-of "hello" "" 99) ;=> 5
(last-index-of "hello" "lo" 3) ;=> 3
(last-index-of "hello" "lo" 2) ;=> nil
(parse-long "42") ;=> 42
(parse-long "-42") ;=> -42
(parse-long "+42") ;=> 42
(parse-long " 42") ;=> nil
(parse-long "42 ") ;=> nil
(parse-long "4.2") ;=> nil
(parse-long "") ;=> nil
(parse-long "-") ;=> nil
(parse-long "1e3") ;=> nil
(parse-long nil) ;=> nil
(parse-long 42) ;=> nil
(parse-long "99999999999999999999") ;=> 99999999999999999999
(parse-long "007") ;=> 7
(parse-long "-0") ;=> 0
(parse-long "0x1F") ;=> nil
(parse-long "1_000") ;=> nil
(parse-long "٣") ;=> nil
(parse-int "5") ;=> 5
(parse-double "3.14") ;=> 3.14
(parse-double "-3.5e2") ;=> -350.0
(parse-double "1e3") ;=> 1000.0
(parse-double "1E3") ;=> 1000.0
(parse-double "1.5E-3") ;=> 0.0015
(parse-double "5.") ;=> nil
(parse-double ".5") ;=> nil
(parse-double "") ;=> nil
(parse-double "abc") ;=> nil
(parse-double "1.5x") ;=> nil
(parse-double " 1.5") ;=> nil
(parse-double nil) ;=> nil
(parse-double 1.5) ;=> nil
(parse-double "Infinity") ;=> ##Inf
(parse-double "+Infinity") ;=> ##Inf
(parse-double "-Infinity") ;=> ##-Inf
(parse-double "NaN") ;=> ##NaN
(parse-double "inf") ;=> nil
(parse-double "+1.5") ;=> 1.5
(parse-double "1e999") ;=> ##Inf
(parse-double "-0") ;=> -0.0

;; Everyday text
(str "Order " 101 ": " :paid) ;=> "Order 101: :paid"
(str "total " 12.50 " EUR") ;=> "total 12.5 EUR"
(join "; " (map :name [{:name "A"} {:name "B"}])) ;=> "A; B"
(join "\n" ["one" "two"]) ;=> "one\ntwo"
(split "2031-05-04" "-") ;=> ["2031" "05" "04"]
(map trim (split " a , b ,c " ",")) ;=> ["a" "b" "c"]
(remove empty? (split "a,,b," ",")) ;=> ["a" "b"]
(split "a.b.c" ".") ;=> ["a" "b" "c"]
(split "k=v=w" #"=") ;=> ["k" "v" "w"]
(last (split "report.final.pdf" ".")) ;=> "pdf"
(subs "INV-2031-007" 4 8) ;=> "2031"
(subs "short" 0 100) ;=> "short"
(subs "naïve" 2 4) ;=> "ïv"
(let [s "a long sentence" n 6] (if (> (count s) n) (str (subs s 0 n) "...") s)) ;=> "a long..."
(let [s "word"] (str (upcase (subs s 0 1)) (subs s 1))) ;=> "Word"
(join " " (map #(str (upcase (subs % 0 1)) (subs % 1)) (split "big blue sea" " "))) ;=> "Big Blue Sea"
(replace "2031/05/04" "/" "-") ;=> "2031-05-04"
(replace "a  b   c" #" +" " ") ;=> "a b c"
(replace "Ann Lee" #"(\w+) (\w+)" "\\2, \\1") ;=> "Lee, Ann"
(replace "card 1234567812345678" #"\d{12}(\d{4})" "****\\1") ;=> "card ****5678"
(replace "Hello {name}" "{name}" "Bo") ;=> "Hello Bo"
(reduce (fn [t [k v]] (replace t (str "{" k "}") (str v))) "{a}+{b}" {"a" 1 "b" 2}) ;=> "1+2"
(includes? "out of stock" "stock") ;=> true
(includes? (downcase "ERROR: Disk") "error") ;=> true
(starts-with? "/api/orders" "/api/") ;=> true
(ends-with? "photo.JPG" ".jpg") ;=> false
(index-of "user@host" "@") ;=> 4
(let [s "user@host" i (index-of s "@")] [(subs s 0 i) (subs s (inc i))]) ;=> ["user" "host"]
(last-index-of "a/b/c" "/") ;=> 3
(index-of "abc" "z") ;=> nil
(count (filter #(= % "l") "hello")) ;=> 2
(apply str (reverse "level")) ;=> "level"
(let [s "level"] (= (vec s) (reverse s))) ;=> true
(let [clean (apply str (re-seq #"[a-z]" (downcase "Was it a car")))] clean) ;=> "wasitacar"
(parse-long (trim " 42 ")) ;=> 42
(map parse-long ["7" "x" "-3" ""]) ;=> [7 nil -3 nil]
(parse-double "12,5") ;=> nil
(parse-double (replace "12,5" "," ".")) ;=> 12.5
(let [pad (fn [n w] (let [s (str n)] (str (apply str (map (fn [_] "0") (range (- w (count s))))) s)))] (map #(pad % 3) [7 42 1234])) ;=> ["007" "042" "1234"]
(frequencies (map downcase (re-seq #"\w+" "The the THE end"))) ;=> {"end" 1 "the" 3}
(count "a👍b") ;=> 3
(take 2 "👍👎👌") ;=> ["👍" "👎"]
(upcase "grün") ;=> "GRÜN"
(split-lines "a\nb\n") ;=> ["a" "b"]
(map count (split-lines "one\n\nthree")) ;=> [3 0 5]
(char? (first "abc")) ;=> true
(sort ["b10" "b9" "a1"]) ;=> ["a1" "b10" "b9"]
(sort-by #(extract-int "(\\d+)" %) ["b10" "b9" "a1"]) ;=> ["a1" "b9" "b10"]
(let [words (split "to be or not to be" " ")] [(count words) (count (distinct words))]) ;=> [6 4]
(reduce (fn [best w] (if (> (count w) (count best)) w best)) "" ["a" "long" "word"]) ;=> "long"
(.indexOf "a-b" "-") ;=> 1
(.lastIndexOf "a-b-c" "-") ;=> 3
