;; What println prints, and how values look as text.

;; println
(println) ;=> nil
(println 1 "a" :b nil [1 "x"])
;>> 1 a :b nil [1 "x"]
;=> nil
(map println [1 2])
;>> 1
;>> 2
;=> [nil nil]
(println (take 3 "abcdef"))
;>> abc
;=> nil
(println {:b 1 :a "x"})
;>> {:a "x" :b 1}
;=> nil
(println 1.0 2.50 1e10 ##Inf)
;>> 1.0 2.5 10000000000.0 ##Inf
;=> nil
(apply println [1 2])
;>> 1 2
;=> nil
(println #{})
;>> #{}
;=> nil
(doseq [n [3 2 1]] (println "T minus" n))
;>> T minus 3
;>> T minus 2
;>> T minus 1
;=> nil
(do (println "start") (println "end") :done)
;>> start
;>> end
;=> :done
(println "one\ntwo")
;>> one
;>> two
;=> nil
(println ["one" "two"])
;>> ["one" "two"]
;=> nil
(println {:shown 1 :_hidden 2} [{:_hidden 3}])
;>> {:shown 1} [{}]
;=> nil
(println (fn [a b] a) inc)
;>> #fn[a b] #<builtin>
;=> nil
(println (/ 1 3) (/ 2 1) 1e-12 (- 0.0))
;>> 0.3333333333 2.0 0.0 -0.0
;=> nil
(println (java.util.Date. 86400) (LocalDate/parse "2031-07-01"))
;>> "1970-01-02T00:00:00Z" "2031-07-01"
;=> nil
(defn shout [s] (println (upcase s)) (count s))
(+ (shout "hey") (shout "you"))
;>> HEY
;>> YOU
;=> 6
(when (println "side") :never)
;>> side
;=> nil
(println (str "a" :b 3))
;>> a:b3
;=> nil
(println "quote \" and back\\slash")
;>> quote " and back\slash
;=> nil
(println (reverse "abc"))
;>> cba
;=> nil
(do (println "before") (inc nil))
;>> before
;!! type_error
(do (println "before") (return 7) (println "after"))
;>> before
;=> 7
(do (println "before") (fail :stop))
;>> before
;!! fail :stop
(pmap (fn [n] (println n) n) [1 2]) ;=> [1 2]
(println (where :a) (juxt inc dec))
;>> #<fn> #<fn>
;=> nil
(println #"[ab]+")
;>> #"[ab]+"
;=> nil
(println (def answer 42))
;>> #'answer
;=> nil

;; str and pr-str
(str [nil true :k]) ;=> "[nil true :k]"
(str "a" ["b" \c]) ;=> "a[\"b\" \"c\"]"
(str {:z 1 "a" 2 3 4}) ;=> "{3 4 :z 1 \"a\" 2}"
(str (LocalDate/parse "2031-07-01")) ;=> "2031-07-01"
(str [(LocalDate/parse "2031-07-01")]) ;=> "[\"2031-07-01\"]"
(str 0.00001) ;=> "0.00001"
(str 1e16) ;=> "1.0e16"
(str 1e15) ;=> "1000000000000000.0"
(str (/ 2 3)) ;=> "0.6666666666666666"
(str [(/ 2 3)]) ;=> "[0.6666666667]"
(pr-str "tab\there") ;=> "\"tab\\there\""
(pr-str [] {} #{} nil) ;=> "[] {} #{} nil"
(pr-str :a "a" \a) ;=> ":a \"a\" \"a\""
(pr-str {:outer {:_key 1 :open 2}}) ;=> "{:outer {:open 2}}"
(pr-str {"_key" 1 "open" 2}) ;=> "{\"open\" 2}"
(count {:_a 1 :b 2}) ;=> 2
(:_a {:_a 1 :b 2}) ;=> 1
(pr-str (LocalDate/parse "2031-07-01")) ;=> "\"2031-07-01\""
(pr-str 123456789012345678901234567890) ;=> "123456789012345678901234567890"
(pr-str #'inc) ;=> "#<builtin>"
(pr-str [1 [2 [3 [4]]]]) ;=> "[1 [2 [3 [4]]]]"
(pr-str (set [3 1 2])) ;=> "#{3 1 2}"
(pr-str {:b {:d 1 :c 2} :a 0}) ;=> "{:a 0 :b {:c 2 :d 1}}"
(str (str nil) "|" (str "") "|") ;=> "||"
(pr-str 2.50 -0.125 100.0) ;=> "2.5 -0.125 100.0"
(pr-str 12345678901.123456789012) ;=> "12345678901.123456955"
(join ", " [1.5 :a nil "x" [1]]) ;=> "1.5, :a, , x, [1]"
(apply str (interpose "-" [1 2 3])) ;=> "1-2-3"
